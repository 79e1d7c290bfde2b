package dev.leasehold.spring.http;

import dev.leasehold.once.RunSpec;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.once.http.Reply;
import jakarta.servlet.http.Part;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpEntity;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.multipart.MultipartRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** The annotated methods of the application, read and checked once at the start. */
final class IdempotentMethods {
    private static final List<Class<?>> STREAMS = List.of(ResponseBodyEmitter.class, StreamingResponseBody.class);
    private static final List<Class<?>> LATER =
            List.of(Callable.class, CompletionStage.class, DeferredResult.class, WebAsyncTask.class);
    private static final List<Class<?>> FILES = List.of(MultipartFile.class, MultipartRequest.class, Part.class);

    private final Map<Method, Settings> settings = new HashMap<>();

    /** What the annotation of one method says. */
    record Settings(RunSpec<Reply> spec, HttpProfile profile, boolean isRequired) {}

    /**
     * Reads the annotations.
     *
     * @throws IllegalStateException if a method cannot be idempotent: it names each such method, and says why
     */
    IdempotentMethods(Iterable<HandlerMethod> handlers, Environment environment) {
        List<String> faults = new ArrayList<>();
        for (HandlerMethod handler : handlers) {
            Idempotent annotation = annotation(handler);
            if (annotation != null) {
                String fault = faultOf(handler);
                if (fault == null) {
                    try {
                        settings.put(handler.getMethod(), settings(annotation, environment));
                    } catch (IllegalArgumentException e) {
                        fault = e.getMessage();
                    }
                }
                if (fault != null) {
                    faults.add(handler.getShortLogMessage() + ": " + fault);
                }
            }
        }
        if (!faults.isEmpty()) {
            throw new IllegalStateException("@Idempotent does not work here:\n" + String.join("\n", faults));
        }
    }

    static @Nullable Idempotent annotation(HandlerMethod handler) {
        return handler.getMethodAnnotation(Idempotent.class);
    }

    /** Of a method that was there at the start. */
    Settings of(HandlerMethod handler) {
        Settings found = settings.get(handler.getMethod());
        if (found == null) {
            throw new IllegalStateException(
                    "The method " + handler + " was mapped after the start; @Idempotent cannot be used there.");
        }
        return found;
    }

    private static Settings settings(Idempotent annotation, Environment environment) {
        RunSpec<Reply> spec = RunSpec.of(Reply.codec())
                .withRetention(duration("retain", annotation.retain(), environment))
                .withLongestRun(duration("longestRun", annotation.longestRun(), environment))
                .withLargestResult(Integer.MAX_VALUE); // The body has its own limit.
        Duration patience = duration("waitFor", annotation.waitFor(), environment);
        return new Settings(
                patience.isZero() ? spec : spec.waitingFor(patience), annotation.profile(), annotation.required());
    }

    private static Duration duration(String name, String text, Environment environment) {
        String resolved = environment.resolveRequiredPlaceholders(text);
        try {
            return DurationStyle.detectAndParse(resolved);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    name + " = \"" + resolved + "\" is no duration. Write it as 36h, 10m or PT10M.", e);
        }
    }

    private static @Nullable String faultOf(HandlerMethod handler) {
        ResolvableType type = ResolvableType.forMethodReturnType(handler.getMethod(), handler.getBeanType());
        Class<?> returned = type.resolve(Object.class);
        Class<?> body = HttpEntity.class.isAssignableFrom(returned)
                ? type.as(HttpEntity.class).getGeneric(0).resolve(Object.class)
                : returned;
        for (Class<?> each : List.of(returned, body)) {
            if (isOneOf(STREAMS, each)) {
                return "a stream cannot be kept. Return the body, or leave the annotation out.";
            }
            if (isOneOf(LATER, each)
                    || ReactiveAdapterRegistry.getSharedInstance().getAdapter(each) != null) {
                return "a value that comes later cannot be kept. Return the value itself, or leave the annotation out.";
            }
        }
        if (!isWritten(handler, returned)) {
            return "it renders a view, which cannot be kept. Add @ResponseBody, or return a ResponseEntity.";
        }
        for (MethodParameter parameter : handler.getMethodParameters()) {
            Class<?> wanted = parameter.nestedIfOptional().getNestedParameterType();
            if (isOneOf(FILES, wanted) || parameter.hasParameterAnnotation(RequestPart.class)) {
                return "an upload of files cannot be compared with its repetition. Leave the annotation out.";
            }
        }
        return null;
    }

    private static boolean isOneOf(List<Class<?>> types, Class<?> type) {
        return types.stream().anyMatch(each -> each.isAssignableFrom(type));
    }

    private static boolean isWritten(HandlerMethod handler, Class<?> returned) {
        return HttpEntity.class.isAssignableFrom(returned)
                || ProblemDetail.class.isAssignableFrom(returned)
                || ErrorResponse.class.isAssignableFrom(returned)
                || AnnotatedElementUtils.hasAnnotation(handler.getBeanType(), ResponseBody.class)
                || handler.hasMethodAnnotation(ResponseBody.class);
    }
}
