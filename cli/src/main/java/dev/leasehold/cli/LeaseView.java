package dev.leasehold.cli;

import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A record as people and programs are shown it. */
record LeaseView(LeaseSnapshot found) {
    /** How a key stands now: what its record says, and whether the time for that is over. */
    enum Standing {
        HELD,
        /** Held by somebody who let it expire; whoever asks first gets it. */
        EXPIRED,
        DONE,
        FAILED,
        HOLD,
        COOLING,
        FREE;

        boolean isSettled() {
            return this == DONE || this == FAILED || this == HOLD;
        }

        @Override
        public String toString() {
            return switch (this) {
                case HELD -> "held";
                case EXPIRED -> "expired";
                case DONE -> "done";
                case FAILED -> "failed";
                case HOLD -> "hold";
                case COOLING -> "cooling";
                case FREE -> "free";
            };
        }
    }

    Standing standing() {
        LeaseRecord record = found.record();
        boolean isOver = record.isOver(found.nowMicros());
        return switch (record.state()) {
            case FREE -> record.isCooling(found.nowMicros()) ? Standing.COOLING : Standing.FREE;
            case HELD -> isOver ? Standing.EXPIRED : Standing.HELD;
            case DONE -> isOver ? Standing.FREE : Standing.DONE;
            case FAILED -> isOver ? Standing.FREE : Standing.FAILED;
            case HOLD -> isOver ? Standing.FREE : Standing.HOLD;
        };
    }

    Optional<Owner> owner() {
        return Optional.ofNullable(found.record().tenure()).map(Tenure::owner);
    }

    private boolean isSomebodys() {
        return found.record().tenure() != null && standing() != Standing.FREE;
    }

    /** For a list: key, standing, owner, since, left, waiting, fence. */
    List<String> row() {
        return List.of(
                found.key().value(),
                standing().toString(),
                isSomebodys() ? owner().map(Owner::label).orElse("?") : "-",
                isSomebodys() ? Durations.text(found.heldFor()) : "-",
                left(),
                Integer.toString(found.record().line().size()),
                found.record().fence().toString());
    }

    /** How long this standing lasts unless something happens. */
    String left() {
        if (standing() == Standing.FREE || standing() == Standing.EXPIRED) {
            return "-";
        }
        return Times.span(found.remaining());
    }

    /** For people who know of the holder only that it is in the way: the whole story in one line. */
    String line() {
        return switch (standing()) {
            case HELD ->
                Refusal.held(
                        found.key(),
                        owner().orElse(null),
                        found.heldFor(),
                        found.remaining(),
                        found.record().fence());
            case COOLING -> Messages.text("run.cooling", found.key(), Durations.text(found.remaining()));
            default -> Messages.text("lease.standing", found.key(), standing());
        };
    }

    Map<String, Object> fields() {
        LeaseRecord record = found.record();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", found.key().value());
        fields.put("state", standing().toString());
        fields.put("fence", record.fence().value());
        Tenure tenure = record.tenure();
        if (tenure != null && isSomebodys()) {
            owner().ifPresent(owner -> fields.put("owner", owner.label()));
            fields.put("heldForMs", found.heldFor().toMillis());
            fields.put("ttlMs", tenure.ttlMicros() / 1_000);
        }
        fields.put("remainingMs", found.remaining().toMillis());
        fields.put("attempts", record.progress().attempts());
        fields.put("waiting", record.line().size());
        Payload payload = record.progress().payload();
        if (payload != null) {
            fields.put("answerBytes", payload.size());
        }
        return fields;
    }

    Duration ttl() {
        Tenure tenure = found.record().tenure();
        return tenure == null ? Duration.ZERO : Duration.ofMillis(tenure.ttlMicros() / 1_000);
    }
}
