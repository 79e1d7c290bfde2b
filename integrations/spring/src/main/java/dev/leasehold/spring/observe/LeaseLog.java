package dev.leasehold.spring.observe;

import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.store.Fence;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes what happens to leases into the application's log, with key, fence, owner and store as structured fields: trouble as
 * warnings, the rest for debugging.
 */
final class LeaseLog implements Consumer<LeaseEvent> {
    private static final Logger LOGGER = LoggerFactory.getLogger("dev.leasehold.lease");

    @Override
    public void accept(LeaseEvent event) {
        LoggingEventBuilder line = LOGGER.atLevel(levelOf(event));
        LeaseEvent.Source source = event.source();
        Fence fence = source.fence();
        if (fence != null) {
            line = line.addKeyValue(LogFields.FENCE, fence);
        }
        line.addKeyValue(LogFields.KEY, source.scope())
                .addKeyValue("leasehold.event", event.type())
                .addKeyValue("leasehold.owner", source.owner())
                .addKeyValue("leasehold.store", source.backend())
                .log(textOf(event));
    }

    private static Level levelOf(LeaseEvent event) {
        if (event instanceof LeaseEvent.Lost
                || event instanceof LeaseEvent.AtRisk
                || event instanceof LeaseEvent.CleanupWarning) {
            return Level.WARN;
        }
        return event instanceof LeaseEvent.Renewed ? Level.TRACE : Level.DEBUG;
    }

    private static String textOf(LeaseEvent event) {
        String key = event.source().scope().value();
        if (event instanceof LeaseEvent.Lost lost) {
            return "Lease lost on " + key + ": " + lost.why();
        }
        if (event instanceof LeaseEvent.AtRisk risk) {
            return "Renewals of the lease on " + key + " are late: it is lost at " + risk.expiresAt()
                    + " unless one gets through";
        }
        if (event instanceof LeaseEvent.CleanupWarning warning) {
            return warning.message();
        }
        if (event instanceof LeaseEvent.Refused refused) {
            return "Lease refused: " + key + " is " + refused.why();
        }
        if (event instanceof LeaseEvent.Failed failed) {
            return String.valueOf(failed.error().getMessage());
        }
        return event.type() + " on " + key;
    }
}
