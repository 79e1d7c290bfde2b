package dev.leasehold.cli;

import dev.leasehold.store.Key;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A key from the command line. One that is not valid is told why. */
final class Keys implements ITypeConverter<Key> {
    @Override
    public Key convert(String value) {
        try {
            return Key.of(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
