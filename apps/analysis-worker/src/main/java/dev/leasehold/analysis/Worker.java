package dev.leasehold.analysis;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Leases;
import org.apache.catalina.core.StandardHost;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Wires one instance of the worker. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({AnalysisController.class, TaskController.class, Problems.class})
class Worker {
    /** Spring closes it, after the tasks have ended. */
    @Bean
    Leases leases(AnalysisStore store, Parts parts) {
        return Leases.builder(store.leases())
                .clockwork(parts.clockwork())
                .withoutShutdownHook()
                .build();
    }

    @Bean
    RunningTasks runningTasks(Parts parts) {
        return new RunningTasks(parts.stopGrace());
    }

    @Bean
    AnalysisTasks tasks(Leases leases, AnalysisStore store, Parts parts, RunningTasks running, Settings settings) {
        return new AnalysisTasks(Leasehold.with(leases), store, parts.analyser(), running, settings);
    }

    @Bean
    AnalysisLocks locks(Leases leases, AnalysisStore store) {
        return new AnalysisLocks(leases, store);
    }

    /** Tomcat would answer what it refuses itself with a page, and refuse an id with a slash in it before it is looked at. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> tomcat() {
        return factory -> {
            factory.addConnectorCustomizers(
                    connector -> connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue()));
            factory.addContextCustomizers(context ->
                    ((StandardHost) context.getParent()).setErrorReportValveClass(ProblemValve.class.getName()));
        };
    }

    @Bean
    WebMvcConfigurer guard(Settings settings) {
        return new WebMvcConfigurer() {
            @Override
            public void addInterceptors(InterceptorRegistry interceptors) {
                interceptors.addInterceptor(new TaskAuth(settings)).addPathPatterns("/internal/**");
            }
        };
    }
}
