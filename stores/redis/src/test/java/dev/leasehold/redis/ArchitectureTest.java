package dev.leasehold.redis;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The module redis")
class ArchitectureTest {
    @Test
    @DisplayName("stands on the contract of stores, what stores on servers share, the JDK and Jedis")
    void arrows() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "dev.leasehold.redis..",
                        "dev.leasehold.store..",
                        "dev.leasehold.wire..",
                        "java..",
                        "javax.net.ssl..",
                        "org.jspecify..",
                        "redis.clients.jedis.."))
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.leasehold.redis"));
    }
}
