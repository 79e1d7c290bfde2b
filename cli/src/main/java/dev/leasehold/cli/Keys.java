package dev.leasehold.cli;

import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;
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

    /** The value of an argument without which the command line is refused before. */
    static Key required(@Nullable Key given) {
        if (given == null) {
            throw new IllegalStateException("There is no key.");
        }
        return given;
    }
}
