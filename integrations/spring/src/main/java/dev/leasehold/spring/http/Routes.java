package dev.leasehold.spring.http;

import dev.leasehold.once.KeyParts;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * The routes of requests, as they stand in keys and names.
 *
 * @param prefix the application's scope and the path that it is served under
 */
record Routes(String prefix) {
    /** The pattern by which Spring found the method, after the prefix. */
    String of(HttpServletRequest request) {
        Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        return prefix + Objects.requireNonNullElse(pattern, request.getRequestURI());
    }

    /** The name under which requests of this route are measured. */
    static String name(String method, String route) {
        return method + " " + route;
    }

    /** Tells the names of a mapping's routes, each with the template of their keys: tenant, method, route and client's key. */
    void tellNames(RequestMappingInfo mapping, BiConsumer<String, String> names) {
        for (RequestMethod method : mapping.getMethodsCondition().getMethods()) {
            for (String pattern : mapping.getPatternValues()) {
                String key = KeyParts.join("", method.name(), prefix + pattern).value();
                names.accept(name(method.name(), prefix + pattern), "*" + key + "/*");
            }
        }
    }
}
