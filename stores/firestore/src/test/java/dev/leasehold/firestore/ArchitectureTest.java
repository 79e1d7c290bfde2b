package dev.leasehold.firestore;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The module firestore")
class ArchitectureTest {
    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.leasehold.firestore");

    @Test
    @DisplayName("stands on the contract of stores, what stores on servers share, the JDK and Google's client")
    void arrows() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "dev.leasehold.firestore..",
                        "dev.leasehold.store..",
                        "dev.leasehold.wire..",
                        "java..",
                        "org.jspecify..",
                        "com.google.api..",
                        "com.google.cloud..",
                        "io.grpc.."))
                .check(MODULE);
    }

    @Test
    @DisplayName("never asks this machine what time it is: the server's read time decides")
    void noClock() {
        noClasses().should().callMethod(System.class, "currentTimeMillis").check(MODULE);
        noClasses().should().callMethod(java.time.Instant.class, "now").check(MODULE);
        noClasses().should().callMethod(com.google.cloud.Timestamp.class, "now").check(MODULE);
    }
}
