package dev.leasehold.spring.annotation;

import dev.leasehold.spring.start.StartException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Says of an annotated method why its annotation would not work. */
final class MethodProblem {
    private MethodProblem() {}

    /** The failure of the start, which names class and method. */
    static StartException of(Method method, Class<?> type, String problem, String remedy) {
        return of(method, type, problem, remedy, null);
    }

    static StartException of(Method method, Class<?> type, String problem, String remedy, @Nullable Throwable cause) {
        return new StartException(name(method, type) + " " + problem, remedy, cause);
    }

    /** The class and the method, as {@code com.example.Sync.push(String)}. */
    static String name(Method method, Class<?> type) {
        StringBuilder parameters = new StringBuilder();
        for (Class<?> parameter : method.getParameterTypes()) {
            parameters.append(parameters.isEmpty() ? "" : ", ").append(parameter.getSimpleName());
        }
        return ClassUtils.getUserClass(type).getName() + "." + method.getName() + "(" + parameters + ")";
    }
}
