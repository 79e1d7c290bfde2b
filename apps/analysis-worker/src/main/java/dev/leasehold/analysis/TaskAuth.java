package dev.leasehold.analysis;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.jwt.SupplierJwtDecoder;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.servlet.HandlerInterceptor;

/** Refuses callers of {@code /internal} that show neither the task token nor an identity token, if one is set up. */
final class TaskAuth implements HandlerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(TaskAuth.class);
    private static final String BEARER = "Bearer ";
    private static final Duration ISSUER_LIMIT = Duration.ofSeconds(5);

    private final byte @Nullable [] token;
    private final @Nullable JwtDecoder identities;

    TaskAuth(Settings settings) {
        String secret = settings.taskToken();
        Settings.Oidc oidc = settings.oidc();
        this.token = secret == null ? null : secret.getBytes(StandardCharsets.UTF_8);
        // The issuer is asked for its keys at the first call, not at the start.
        this.identities = oidc == null ? null : new SupplierJwtDecoder(() -> decoder(oidc));
    }

    private static JwtDecoder decoder(Settings.Oidc oidc) {
        SimpleClientHttpRequestFactory requests = new SimpleClientHttpRequestFactory();
        requests.setConnectTimeout(ISSUER_LIMIT);
        requests.setReadTimeout(ISSUER_LIMIT);
        NimbusJwtDecoder decoder = NimbusJwtDecoder.withIssuerLocation(oidc.issuer())
                .restOperations(new RestTemplate(requests))
                .build();
        String email = oidc.email();
        decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<Jwt>(
                JwtValidators.createDefaultWithIssuer(oidc.issuer()),
                new JwtClaimValidator<List<String>>(
                        JwtClaimNames.AUD, audience -> audience != null && audience.contains(oidc.audience())),
                new JwtClaimValidator<Object>("email", claim -> email == null || email.equals(claim)),
                new JwtClaimValidator<Object>("email_verified", claim -> email == null || Boolean.TRUE.equals(claim))));
        return decoder;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (token == null && identities == null) {
            return true; // The port is open to this machine only.
        }
        String header = request.getHeader(HttpHeaders.AUTHORIZATION);
        if (header != null
                && header.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && isGood(header.substring(BEARER.length()).strip())) {
            return true;
        }
        throw Problems.unauthorized();
    }

    private boolean isGood(String shown) {
        // Takes the same time for every wrong token of a length.
        boolean isToken = token != null && MessageDigest.isEqual(token, shown.getBytes(StandardCharsets.UTF_8));
        return isToken || (identities != null && isIdentity(identities, shown));
    }

    private static boolean isIdentity(JwtDecoder identities, String shown) {
        try {
            identities.decode(shown);
            return true;
        } catch (BadJwtException e) {
            return false;
        } catch (RuntimeException e) {
            LOG.error("The identity of a caller of /internal could not be checked: {}", e.getMessage());
            throw Problems.of(
                    HttpStatus.SERVICE_UNAVAILABLE,
                    "issuer-down",
                    "The issuer of identity tokens does not answer. Send the task again later.");
        }
    }
}
