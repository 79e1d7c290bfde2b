package dev.leasehold.spring.http;

import dev.leasehold.Leasehold;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.FingerprintBuilder;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.IdempotencyKey;
import dev.leasehold.once.http.Reply;
import dev.leasehold.spring.observe.LogFields;
import dev.leasehold.spring.observe.Spans;
import dev.leasehold.store.Key;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.util.unit.DataSize;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerAdapter;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.AbstractHandlerMethodAdapter;

/**
 * Calls annotated controller methods as runs: the request's key names the run, and the reply is its answer. All other methods
 * are left to Spring's own adapter, which does the calling here, too.
 */
final class IdempotencyAdapter extends AbstractHandlerMethodAdapter {
    /** Before Spring's own, which takes every method. */
    private static final int ORDER = 0;

    private final Leasehold leasehold;
    private final HandlerAdapter delegate;
    private final IdempotentMethods methods;
    private final IdempotencyTenant tenant;
    private final HttpProperties properties;
    private final Routes routes;
    private final Spans spans;
    private final Set<String> keptHeaders;

    IdempotencyAdapter(
            Leasehold leasehold,
            HandlerAdapter delegate,
            IdempotentMethods methods,
            IdempotencyTenant tenant,
            HttpProperties properties,
            Routes routes,
            Spans spans) {
        this.leasehold = leasehold;
        this.delegate = delegate;
        this.methods = methods;
        this.tenant = tenant;
        this.properties = properties;
        this.routes = routes;
        this.spans = spans;
        Set<String> kept = new HashSet<>(Reply.KEPT_HEADERS);
        kept.addAll(properties.keptHeaders());
        this.keptHeaders = Set.copyOf(kept);
        setOrder(ORDER);
    }

    @Override
    protected boolean supportsInternal(HandlerMethod handler) {
        return IdempotentMethods.annotation(handler) != null;
    }

    @Override
    protected @Nullable ModelAndView handleInternal(
            HttpServletRequest request, HttpServletResponse response, HandlerMethod handler) throws Exception {
        IdempotentMethods.Settings settings = methods.of(handler);
        List<String> header = Collections.list(request.getHeaders(IdempotencyKey.HEADER));
        IdempotencyKey.Parsed parsed =
                properties.strictKeys() ? IdempotencyKey.parse(header) : IdempotencyKey.parseLeniently(header);
        if (parsed instanceof IdempotencyKey.Parsed.Missing && !settings.isRequired()) {
            return delegate.handle(request, response, handler);
        }
        if (!(parsed instanceof IdempotencyKey.Parsed.Valid valid)) {
            Answers.send(response, HttpAnswer.badKey(parsed).orElseThrow());
            return null;
        }
        String who = tenant.of(request).orElse(properties.allowAnonymous() ? "" : null);
        if (who == null) {
            Answers.send(response, Answers.noPrincipal());
            return null;
        }
        if (isMultipart(request)) {
            Answers.send(response, Answers.multipart());
            return null;
        }
        handle(
                request,
                response,
                handler,
                settings,
                IdempotencyKey.scoped(who, request.getMethod(), routes.of(request), valid));
        return null;
    }

    private void handle(
            HttpServletRequest request,
            HttpServletResponse response,
            HandlerMethod handler,
            IdempotentMethods.Settings settings,
            Key key)
            throws Exception {
        HttpServletRequest readable = request;
        FingerprintBuilder fingerprint =
                Fingerprint.builder().with("path", request.getRequestURI()).with("query", request.getQueryString());
        if (isForm(request)) {
            // The server reads a form itself, and only once.
            Map<String, Object> form = new TreeMap<>();
            request.getParameterMap().forEach((name, values) -> form.put(name, Arrays.asList(values)));
            fingerprint = fingerprint.with("form", form);
        } else {
            try {
                BufferedRequest buffered = BufferedRequest.of(request, bytes(properties.maxRequestBody()));
                fingerprint = fingerprint.with("type", request.getContentType()).with("body", buffered.body());
                readable = buffered;
            } catch (BodyTooLargeException e) {
                Answers.send(response, Answers.requestTooLarge(properties.maxRequestBody()));
                return;
            }
        }
        Once<Reply> once = leasehold.once(key, settings.spec()).of(fingerprint.build());
        HttpServletRequest body = readable;
        try {
            HttpAnswer answer = settings.profile().answer(() -> observed(once, key, request, body, response, handler));
            Answers.log(answer, key);
            Answers.send(response, answer);
        } catch (PassingReplyException e) {
            Answers.send(response, e.reply());
        }
    }

    private Outcome<Reply> observed(
            Once<Reply> once,
            Key key,
            HttpServletRequest request,
            HttpServletRequest body,
            HttpServletResponse response,
            HandlerMethod handler)
            throws Exception {
        return spans.<Outcome<Reply>, Exception>observe(
                Spans.Kind.RUN, Routes.name(request.getMethod(), routes.of(request)), key, span -> {
                    Outcome<Reply> outcome = once.run(run -> {
                        span.fence(run.fence());
                        LogFields fields = LogFields.of(key, run.fence());
                        try {
                            return work(body, response, handler);
                        } finally {
                            fields.close();
                        }
                    });
                    span.outcome(outcome.getClass().getSimpleName());
                    return outcome;
                });
    }

    private Reply work(HttpServletRequest request, HttpServletResponse response, HandlerMethod handler)
            throws Exception {
        CapturedResponse captured = new CapturedResponse(response, bytes(properties.maxReply()));
        ModelAndView view = delegate.handle(request, captured, handler);
        if (view != null || request.isAsyncStarted()) {
            throw new IllegalStateException("The method " + handler
                    + " rendered a view or began to answer asynchronously: such a reply cannot be kept. Leave"
                    + " @Idempotent out.");
        }
        Reply reply;
        try {
            reply = captured.reply(keptHeaders);
        } catch (BodyTooLargeException e) {
            // The work was done, so it must not be done again for want of a reply.
            throw new TerminalException(Answers.replyTooLarge(properties.maxReply()));
        }
        if (PassingReplyException.isPassing(reply)) {
            throw new PassingReplyException(reply);
        }
        return reply;
    }

    private static int bytes(DataSize size) {
        return Math.toIntExact(size.toBytes());
    }

    private static boolean isMultipart(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.regionMatches(true, 0, "multipart/", 0, "multipart/".length());
    }

    private static boolean isForm(HttpServletRequest request) {
        String type = request.getContentType();
        String form = MediaType.APPLICATION_FORM_URLENCODED_VALUE;
        return type != null && type.regionMatches(true, 0, form, 0, form.length());
    }
}
