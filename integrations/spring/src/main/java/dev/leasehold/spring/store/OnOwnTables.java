package dev.leasehold.spring.store;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Leases are kept in the application's own database, and the properties do not forbid to create tables. */
final class OnOwnTables extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        boolean isElsewhere =
                !environment.getProperty("leasehold.store-url", "").isBlank()
                        || !environment.getProperty("leasehold.store", "jdbc").equalsIgnoreCase("jdbc");
        boolean isForbidden = !environment.getProperty("leasehold.create-tables", Boolean.class, true);
        return new ConditionOutcome(
                !isElsewhere && !isForbidden,
                ConditionMessage.forCondition("Leasehold's tables")
                        .because(isElsewhere ? "leases are kept elsewhere" : "leasehold.create-tables"));
    }
}
