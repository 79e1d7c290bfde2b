package dev.leasehold.spring.http;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.spring.bridge.RealStore;
import dev.leasehold.store.LeaseStore;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.security.Principal;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** An application with idempotent methods. The header {@code X-User} stands for its authentication. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Shop {
    @Bean
    LeaseStore store() {
        return RealStore.POSTGRESQL.open();
    }

    @Bean
    Leases leases(LeaseStore store) {
        return Leases.builder(store).withoutShutdownHook().build();
    }

    @Bean
    OncePerRequestFilter authentication() {
        return new OncePerRequestFilter() {
            @Override
            protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                    throws ServletException, IOException {
                String user = request.getHeader("X-User");
                response.setHeader("X-Frame-Options", "DENY");
                chain.doFilter(
                        new HttpServletRequestWrapper(request) {
                            @Override
                            public Principal getUserPrincipal() {
                                return user == null ? null : () -> user;
                            }
                        },
                        response);
            }
        };
    }

    @RestController
    static class Orders {
        final AtomicInteger done = new AtomicInteger();
        volatile CountDownLatch begun = new CountDownLatch(1);
        volatile CountDownLatch mayEnd = new CountDownLatch(0);
        volatile String fenceInLog;
        volatile RuntimeException failure;

        private int count() throws InterruptedException {
            int number = done.incrementAndGet();
            fenceInLog = MDC.get("leasehold.fence");
            begun.countDown();
            mayEnd.await(30, TimeUnit.SECONDS);
            RuntimeException toThrow = failure;
            if (toThrow != null) {
                failure = null;
                throw toThrow;
            }
            return number;
        }

        @PostMapping("/orders")
        @Idempotent
        ResponseEntity<Map<String, Object>> create(@RequestBody String order) throws InterruptedException {
            int number = count();
            return ResponseEntity.created(URI.create("/orders/" + number))
                    .header(HttpHeaders.SET_COOKIE, "session=secret")
                    .header(HttpHeaders.AUTHORIZATION, "Bearer secret")
                    .header("X-Trace", "trace " + number)
                    .body(Map.of("order", order, "number", number));
        }

        @PostMapping("/orders/{id}/payments")
        @Idempotent(retain = "${pay.retain:2d}", waitFor = "10s")
        String pay(@PathVariable String id) throws InterruptedException {
            return id + " paid " + count();
        }

        @PostMapping("/other")
        @Idempotent(required = false)
        int other() throws InterruptedException {
            return count();
        }

        @PostMapping("/form")
        @Idempotent
        String form(@RequestParam String name) throws InterruptedException {
            return name + count();
        }

        @PostMapping("/status/{status}")
        @Idempotent
        ResponseEntity<String> status(@PathVariable int status) throws InterruptedException {
            return ResponseEntity.status(HttpStatus.valueOf(status)).body("number " + count());
        }

        @PostMapping("/large")
        @Idempotent
        byte[] large(@RequestParam int size) throws InterruptedException {
            count();
            return new byte[size];
        }

        @PostMapping("/finalize")
        @Idempotent(profile = HttpProfile.FINALIZE)
        Map<String, Object> complete() throws InterruptedException {
            return Map.of("number", count());
        }

        @PostMapping("/gone")
        @Idempotent
        void error(HttpServletResponse response) throws IOException, InterruptedException {
            response.sendError(410, "gone " + count());
        }

        @GetMapping("/plain")
        int plain() {
            return done.get();
        }
    }
}
