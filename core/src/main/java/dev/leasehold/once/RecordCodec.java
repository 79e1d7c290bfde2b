package dev.leasehold.once;

import dev.leasehold.store.Fields;

/**
 * Reads a user's own record as a value, and says which fields of a value a run writes. Both methods may be called by many
 * threads at once. Neither sees null: work that returns null writes no field.
 *
 * @param <R> the record as a Java value
 */
public interface RecordCodec<R> {
    R read(Fields record) throws Exception;

    /** The fields to write. The mapping must allow each of them; the record keeps all others as they are. */
    Fields write(R value) throws Exception;

    static <R> RecordCodec<R> of(Reader<R> reader, Writer<R> writer) {
        return new RecordCodec<>() {
            @Override
            public R read(Fields record) throws Exception {
                return reader.read(record);
            }

            @Override
            public Fields write(R value) throws Exception {
                return writer.write(value);
            }
        };
    }

    /** The fields as they are: the work returns those to write, and the outcome has the whole record. */
    static RecordCodec<Fields> fields() {
        return of(record -> record, written -> written);
    }

    /** See {@link RecordCodec#read}. */
    @FunctionalInterface
    interface Reader<R> {
        R read(Fields record) throws Exception;
    }

    /** See {@link RecordCodec#write}. */
    @FunctionalInterface
    interface Writer<R> {
        Fields write(R value) throws Exception;
    }
}
