package dev.leasehold.cli;

import dev.leasehold.store.Owner;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An owner's name from the command line. */
final class Owners implements ITypeConverter<Owner> {
    @Override
    public Owner convert(String value) {
        try {
            return Owner.of(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
