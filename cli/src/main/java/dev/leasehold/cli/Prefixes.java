package dev.leasehold.cli;

import dev.leasehold.store.ListRequest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The beginning of keys, from the command line; empty for all. */
final class Prefixes implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
        try {
            return ListRequest.of(value).prefix();
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
