package dev.leasehold.faults;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.Key;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When all workers have stopped, every key can be had, with a larger fence than ever before. */
final class Epilogue {
    private static final Duration PATIENCE = Shift.TTL.multipliedBy(2).plusSeconds(1);

    private Epilogue() {}

    /** Takes each key once and notes that like any other client; the keys that were not to be had. */
    static List<String> run(Bed bed, String prefix, Path history) throws Exception {
        List<String> findings = new ArrayList<>();
        try (Notes notes = new Notes("epilogue", history);
                NotingStore store = new NotingStore(
                        bed.openDirect(), key -> true, (key, nonce) -> notes.note(Kind.CALLED, key.value(), nonce, 0));
                Leases leases = Leases.builder(store).withoutLog().build()) {
            for (int number = 0; number < Shift.KEYS; number++) {
                Key key = Shift.key(prefix, number);
                LeaseOptions options = LeaseOptions.waitFor(PATIENCE).withTtl(Shift.TTL);
                try {
                    Acquisition acquisition = leases.acquire(key, options);
                    if (acquisition instanceof Acquisition.Acquired acquired) {
                        Lease lease = acquired.lease();
                        notes.holds(Kind.ACQUIRED, lease);
                        notes.note(Kind.RELEASING, lease);
                        lease.release();
                    } else {
                        findings.add("G4: nobody works any more, but " + acquisition);
                    }
                } catch (LeaseException e) {
                    findings.add("G4: nobody works any more, but " + e.getMessage());
                }
            }
        }
        return findings;
    }
}
