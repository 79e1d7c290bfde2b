package dev.leasehold.moc;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** What an instance is made of. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({
    LeaseholdConfiguration.class,
    Security.class,
    RequestIds.class,
    Users.class,
    MocRepository.class,
    ObjectStore.class,
    SearchIndex.class,
    FileVerifier.class,
    Thumbnails.class,
    Finalizer.class,
    MocController.class,
    FinalizeController.class,
    StatusController.class,
    Problems.class
})
class Application {
    /** Tomcat would answer what it refuses itself with a page. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> tomcat() {
        return factory -> factory.addContextCustomizers(
                context -> ((StandardHost) context.getParent()).setErrorReportValveClass(ProblemValve.class.getName()));
    }
}
