package dev.leasehold.spring.http;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.observe.LockNames;
import dev.leasehold.spring.observe.Spans;
import dev.leasehold.spring.store.StoreAutoConfiguration;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import java.security.Principal;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Lets controller methods be {@link Idempotent}, in an application on Spring MVC. */
@AutoConfiguration(
        after = StoreAutoConfiguration.class,
        afterName = {
            "dev.leasehold.spring.observe.ObserveAutoConfiguration",
            "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration"
        })
@ConditionalOnClass({DispatcherServlet.class, Servlet.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({Leasehold.class, RequestMappingHandlerAdapter.class})
@EnableConfigurationProperties(HttpProperties.class)
public class HttpAutoConfiguration {
    HttpAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    IdempotencyTenant idempotencyTenant() {
        return request -> Optional.ofNullable(request.getUserPrincipal()).map(Principal::getName);
    }

    @Bean
    IdempotencyAdapter idempotencyAdapter(
            Leasehold leasehold,
            RequestMappingHandlerAdapter delegate,
            List<RequestMappingHandlerMapping> mappings,
            Environment environment,
            IdempotencyTenant tenant,
            HttpProperties properties,
            ServletContext server,
            ObjectProvider<LockNames> names,
            ObjectProvider<Spans> spans) {
        List<HandlerMethod> handlers = mappings.stream()
                .flatMap(mapping -> mapping.getHandlerMethods().values().stream())
                .toList();
        IdempotentMethods methods = new IdempotentMethods(handlers, environment);
        Routes routes = new Routes(properties.scope() + server.getContextPath());
        names.ifAvailable(known -> mappings.forEach(mapping -> tellNames(mapping, routes, known)));
        return new IdempotencyAdapter(
                leasehold, delegate, methods, tenant, properties, routes, spans.getIfAvailable(() -> Spans.NONE));
    }

    /** So that their meters are there before the first request. */
    private static void tellNames(RequestMappingHandlerMapping mapping, Routes routes, LockNames known) {
        mapping.getHandlerMethods().forEach((info, handler) -> {
            if (IdempotentMethods.annotation(handler) != null) {
                routes.tellNames(info, known::add);
            }
        });
    }
}
