package dev.leasehold.cli;

import dev.leasehold.store.HistoryKind;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A kind of history from the command line. Any name will do: a later version may have written others. */
final class Kinds implements ITypeConverter<HistoryKind> {
    @Override
    public HistoryKind convert(String value) {
        try {
            return new HistoryKind(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
