package dev.leasehold.spring.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/**
 * Says for whom a request's key counts. A bean of this type replaces the default, which is the name of the request's
 * principal.
 */
@FunctionalInterface
public interface IdempotencyTenant {
    /**
     * Whose request it is, as authentication says; never what the client itself says. Empty if nobody knows: such a request
     * is answered 401.
     */
    Optional<String> of(HttpServletRequest request);
}
