package dev.leasehold;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The arrows between the packages of core, and what its deterministic part may not touch. */
class ArchitectureTest {
    private static final String OURS = "dev.leasehold..";
    private static final String ROOT = "dev.leasehold";
    private static final String STORE = "dev.leasehold.store..";
    private static final String LEASE = "dev.leasehold.lease..";
    private static final String ONCE = "dev.leasehold.once..";
    private static final String MEMORY = "dev.leasehold.memory..";
    private static final String WIRE = "dev.leasehold.wire..";

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void storeImportsNothingOfOurs() {
        holds(packageUsesOfOursOnly(STORE));
    }

    @Test
    void leaseImportsOnlyStore() {
        holds(packageUsesOfOursOnly(LEASE, STORE));
    }

    @Test
    void onceImportsOnlyLeaseAndStore() {
        holds(packageUsesOfOursOnly(ONCE, LEASE, STORE));
    }

    @Test
    void memoryImportsOnlyStore() {
        holds(packageUsesOfOursOnly(MEMORY, STORE));
    }

    @Test
    void wireImportsOnlyStoreAndNobodyInCoreImportsIt() {
        holds(packageUsesOfOursOnly(WIRE, STORE));
        holds(noClasses()
                .that()
                .resideOutsideOfPackage(WIRE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(WIRE)
                .because("it is for stores in modules of their own"));
    }

    @Test
    void rootPackageHoldsTheEntryClassAlone() {
        holds(classes()
                .that()
                .resideInAPackage(ROOT)
                .should()
                .haveNameMatching("dev\\.leasehold\\.(Leasehold(\\$.*)?|package-info)"));
    }

    @Test
    void nothingImportsTheRootPackage() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage(ROOT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT));
    }

    @Test
    void packagesFormNoCycle() {
        holds(slices().matching("dev.leasehold.(**)").should().beFreeOfCycles());
    }

    @Test
    void coreStandsOnTheJdkAlone() {
        holds(classes()
                .that()
                .resideInAPackage(OURS)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(OURS, "java..", "org.jspecify..")));
    }

    @Test
    void timeAndChanceEnterThroughSystemClockworkAndRandomIdsOnly() {
        holds(noClasses()
                .that()
                .resideInAnyPackage(LEASE, STORE, ONCE)
                .and(not(partOf("SystemClockwork", "RandomIds")))
                .should()
                .accessTargetWhere(readsTheClockOrSleepsOrDrawsChance())
                .because("one seed must replay one run"));
    }

    private static void holds(ArchRule rule) {
        rule.allowEmptyShould(true).check(CORE);
    }

    /** Classes of {@code subject} use classes of ours only from their own package and {@code allowed}. */
    private static ArchRule packageUsesOfOursOnly(String subject, String... allowed) {
        return classes()
                .that()
                .resideInAPackage(subject)
                .should()
                .onlyDependOnClassesThat(not(resideInAPackage(OURS))
                        .or(resideInAPackage(subject))
                        .or(resideInAnyPackage(allowed)));
    }

    private static DescribedPredicate<JavaClass> partOf(String... topLevelNames) {
        Set<String> names = Set.of(topLevelNames);
        return describe(
                "part of " + names, type -> names.contains(topLevel(type).getSimpleName()));
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::topLevel).orElse(type);
    }

    /** Calls and method references alike. What takes its source as an argument, {@code Instant.now(clock)}, is free. */
    private static DescribedPredicate<JavaAccess<?>> readsTheClockOrSleepsOrDrawsChance() {
        return describe("the target reads the clock, sleeps or draws chance", access -> isBanned(access.getTarget()));
    }

    private static boolean isBanned(AccessTarget target) {
        String owner = target.getOwner().getName();
        String name = target.getName();
        return switch (owner) {
            case "java.lang.Thread", "java.util.concurrent.TimeUnit" -> name.equals("sleep");
            case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
            case "java.lang.Math" -> name.equals("random");
            case "java.time.Clock" -> name.startsWith("system") || name.startsWith("tick");
            case "java.util.UUID" -> name.equals("randomUUID");
            case "java.util.Date", "java.util.Random", "java.util.SplittableRandom" ->
                name.equals("<init>") && takesNothing(target);
            case "java.security.SecureRandom", "java.util.concurrent.ThreadLocalRandom" -> true;
            default -> owner.startsWith("java.time.") && name.equals("now") && takesNothing(target);
        };
    }

    private static boolean takesNothing(AccessTarget target) {
        return target instanceof AccessTarget.CodeUnitAccessTarget codeUnit
                && codeUnit.getRawParameterTypes().isEmpty();
    }
}
