package dev.leasehold.moc;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;

/** Tells who sends a request. */
final class Users {
    /** Everyone, as long as the port is open to this machine only. */
    static final String DEVELOPER = "developer";

    private final boolean hasIssuer;

    Users(Settings settings) {
        this.hasIssuer = settings.issuer() != null;
    }

    /** The subject of the request's token. */
    String id(HttpServletRequest request) {
        if (!hasIssuer) {
            return DEVELOPER;
        }
        Principal user = request.getUserPrincipal();
        if (user == null) {
            throw new IllegalStateException("A request without a user came past the security filters.");
        }
        return user.getName();
    }
}
