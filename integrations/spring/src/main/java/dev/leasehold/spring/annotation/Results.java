package dev.leasehold.spring.annotation;

import dev.leasehold.jackson.JacksonCodec;
import dev.leasehold.once.Codec;
import java.lang.reflect.Type;
import org.springframework.util.ClassUtils;
import tools.jackson.core.type.TypeReference;

/** Chooses how the results of a method are kept. */
final class Results {
    private static final boolean HAS_JSON =
            ClassUtils.isPresent("dev.leasehold.jackson.JacksonCodec", Results.class.getClassLoader());

    private Results() {}

    /**
     * Keeps results of this type.
     *
     * @throws IllegalArgumentException if that needs a library that is not there
     */
    static Codec<Object> codec(Type type) {
        if (type == void.class || type == Void.class) {
            return anything(Codec.nothing());
        }
        if (type == String.class) {
            return anything(Codec.utf8());
        }
        if (type == byte[].class) {
            return anything(Codec.bytes());
        }
        if (!HAS_JSON) {
            throw new IllegalArgumentException("Results of " + type.getTypeName()
                    + " are kept as JSON, which needs the dependency dev.leasehold:leasehold-jackson.");
        }
        return Json.codec(type);
    }

    /** The caller's method returns that type and no other. */
    @SuppressWarnings("unchecked")
    private static Codec<Object> anything(Codec<?> codec) {
        return (Codec<Object>) codec;
    }

    /** Apart, so that nothing asks for Jackson's classes if they are not there. */
    private static final class Json {
        static Codec<Object> codec(Type type) {
            return JacksonCodec.of(new TypeReference<Object>() {
                @Override
                public Type getType() {
                    return type;
                }
            });
        }
    }
}
