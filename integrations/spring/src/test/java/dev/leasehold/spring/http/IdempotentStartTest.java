package dev.leasehold.spring.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.HttpServletResponse;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

@DisplayName("At the start, an idempotent method")
class IdempotentStartTest {
    @RestController
    static class Refused {
        @Idempotent
        public StreamingResponseBody stream() {
            return out -> {};
        }

        @Idempotent
        public ResponseEntity<StreamingResponseBody> streamInEntity() {
            return ResponseEntity.ok().build();
        }

        @Idempotent
        public SseEmitter events() {
            return new SseEmitter();
        }

        @Idempotent
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("");
        }

        @Idempotent
        public Callable<String> callable() {
            return () -> "";
        }

        @Idempotent
        public DeferredResult<String> deferred() {
            return new DeferredResult<>();
        }

        @Idempotent
        public Flow.Publisher<String> publisher() {
            return subscriber -> {};
        }

        @Idempotent
        public String upload(MultipartFile file) {
            return file.getName();
        }

        @Idempotent(retain = "for ever")
        public String duration() {
            return "";
        }

        @Idempotent(retain = "${no.such.property}")
        public String placeholder() {
            return "";
        }
    }

    @Controller
    static class Views {
        @Idempotent
        public String view() {
            return "view";
        }

        @Idempotent
        @ResponseBody
        public String body() {
            return "body";
        }

        @Idempotent
        public ResponseEntity<String> entity() {
            return ResponseEntity.ok("body");
        }

        @PostMapping("/plain")
        public String plain() {
            return "view";
        }
    }

    @RestController
    static class Accepted {
        @Idempotent(retain = "36h", waitFor = "PT1S", longestRun = "${longest:5m}")
        public void nothing(HttpServletResponse response) {
            response.setStatus(204);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Shop.class)
    static class Broken {
        @RestController
        static class Streams {
            @PostMapping("/stream")
            @Idempotent
            public StreamingResponseBody stream() {
                return out -> {};
            }
        }
    }

    private static IdempotentMethods read(Object controller, String method) {
        List<HandlerMethod> handlers = Arrays.stream(controller.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(method))
                .map(each -> new HandlerMethod(controller, each))
                .toList();
        assertThat(handlers).hasSize(1);
        return new IdempotentMethods(handlers, new StandardEnvironment());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "stream",
                "streamInEntity",
                "events",
                "future",
                "callable",
                "deferred",
                "publisher",
                "upload",
                "duration",
                "placeholder"
            })
    @DisplayName("is refused by class and name if it streams, answers later, takes files or says what makes no sense")
    void refused(String method) {
        assertThatThrownBy(() -> read(new Refused(), method))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Refused#" + method);
    }

    @Test
    @DisplayName("is refused if it renders a view, and not if it writes a body")
    void views() {
        assertThatThrownBy(() -> read(new Views(), "view")).hasMessageContaining("renders a view");
        read(new Views(), "body");
        read(new Views(), "entity");
        read(new Views(), "plain");
        read(new Accepted(), "nothing");
    }

    @Test
    @DisplayName("that is refused fails the start of the application")
    void failsTheStart() {
        assertThatThrownBy(() -> new SpringApplicationBuilder(Broken.class)
                        .properties("server.port=0", "spring.main.banner-mode=off")
                        .run()
                        .close())
                .hasStackTraceContaining("Streams#stream")
                .hasStackTraceContaining("a stream cannot be kept");
    }
}
