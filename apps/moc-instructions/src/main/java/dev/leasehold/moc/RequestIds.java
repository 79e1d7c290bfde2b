package dev.leasehold.moc;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.OncePerRequestFilter;

/** Gives each request an id, or keeps the one that it brings, and tells it in the reply and to {@link FinalizeLog}. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RequestIds extends OncePerRequestFilter {
    private static final String HEADER = "X-Request-Id";
    private static final Pattern USABLE = Pattern.compile("[A-Za-z0-9_.:/+=-]{1,128}");

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain rest)
            throws ServletException, IOException {
        String given = request.getHeader(HEADER);
        String id = given != null && USABLE.matcher(given).matches()
                ? given
                : UUID.randomUUID().toString();
        response.setHeader(HEADER, id);
        FinalizeLog.begin(request, id);
        rest.doFilter(request, response);
    }
}
