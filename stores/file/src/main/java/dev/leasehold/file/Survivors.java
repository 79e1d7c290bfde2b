package dev.leasehold.file;

import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Place;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a record as it stands once those who are provably dead are left out. */
final class Survivors {
    private final HostProcesses processes;
    private final boolean isLocal;

    Survivors(HostProcesses processes, boolean isLocal) {
        this.processes = processes;
        this.isLocal = isLocal;
    }

    /**
     * The record, expired if its holder's process is gone, and without those at the head of the line whose process is
     * gone. The very same object if that changes nothing.
     */
    LeaseRecord of(Version version, LeaseRecord record, long nowMicros) {
        Tenure tenure = record.tenure();
        boolean isOrphaned = record.state() == State.HELD
                && !record.isOver(nowMicros)
                && tenure != null
                && isGone(version.processes().get(tenure.nonce()));
        List<Place> line = new ArrayList<>(record.line());
        while (!line.isEmpty() && isGone(version.processes().get(line.get(0).nonce()))) {
            line.remove(0);
        }
        if (!isOrphaned && line.size() == record.line().size()) {
            return record;
        }
        return new LeaseRecord(
                record.key(),
                record.fence(),
                record.state(),
                tenure,
                record.tombstone(),
                isOrphaned ? nowMicros : record.expiryMicros(),
                record.cooldownMicros(),
                record.progress(),
                line);
    }

    private boolean isGone(@Nullable ProcessMark mark) {
        return mark != null && processes.fateOf(mark, isLocal) == Fate.GONE;
    }
}
