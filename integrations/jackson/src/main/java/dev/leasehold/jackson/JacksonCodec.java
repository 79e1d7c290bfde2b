package dev.leasehold.jackson;

import dev.leasehold.once.Codec;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keeps results as JSON.
 *
 * <p>Answers outlive the program that wrote them: members that were added since are missing in them, and members that
 * were removed are still there. The usual mapper ignores the latter. Safe for use by many threads.
 */
public final class JacksonCodec<R> implements Codec<R> {
    private static final ObjectMapper USUAL = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private final ObjectMapper mapper;
    private final JavaType type;

    private JacksonCodec(ObjectMapper mapper, JavaType type) {
        this.mapper = mapper;
        this.type = type;
    }

    /** Results of this class, by the usual mapper. */
    public static <R> JacksonCodec<R> of(Class<R> type) {
        return of(type, USUAL);
    }

    /** The same with a mapper of the user's. */
    public static <R> JacksonCodec<R> of(Class<R> type, ObjectMapper mapper) {
        return new JacksonCodec<>(mapper, mapper.constructType(type));
    }

    /** Results of a type with arguments: {@code new TypeReference<List<Report>>() {}}. */
    public static <R> JacksonCodec<R> of(TypeReference<R> type) {
        return of(type, USUAL);
    }

    /** The same with a mapper of the user's. */
    public static <R> JacksonCodec<R> of(TypeReference<R> type, ObjectMapper mapper) {
        return new JacksonCodec<>(mapper, mapper.getTypeFactory().constructType(type));
    }

    @Override
    public byte[] encode(R value) {
        return mapper.writerFor(type).writeValueAsBytes(value);
    }

    @Override
    public R decode(byte[] bytes) {
        R value = mapper.readerFor(type).readValue(bytes);
        if (value == null) {
            throw new IllegalArgumentException("The kept JSON is null, which no result is kept as.");
        }
        return value;
    }
}
