package dev.leasehold.moc;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.RowMapping;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finalizes a MOC: locks its row, verifies its files, makes the thumbnail, indexes it, and then writes the result, marks the
 * row as finalized and clears the lock in one statement. Safe for use by many threads and instances.
 */
final class Finalizer {
    private final Leasehold leasehold;
    private final MocRepository mocs;
    private final FileVerifier verifier;
    private final Thumbnails thumbnails;
    private final SearchIndex search;
    private final RowMapping mapping;
    private final RunSpec<Moc> spec;

    Finalizer(
            Leasehold leasehold,
            MocRepository mocs,
            FileVerifier verifier,
            Thumbnails thumbnails,
            SearchIndex search,
            Settings settings) {
        this.leasehold = leasehold;
        this.mocs = mocs;
        this.verifier = verifier;
        this.thumbnails = thumbnails;
        this.search = search;
        this.mapping = Moc.mapping(settings.lockTtl());
        this.spec = RunSpec.of(Moc.CODEC).withLeaseTtl(settings.lockTtl()).withFailurePolicy(FailurePolicy.CLEAR);
    }

    /**
     * Finalizes the MOC, unless it was finalized before or another caller is at it.
     *
     * @throws Exception what went wrong: the lock was cleared, and the row is as it was
     */
    Outcome<Moc> run(UUID id) throws Exception {
        Once<Moc> once = leasehold.once(mapping.keyOf(id), spec);
        try {
            Outcome<Moc> outcome = once.run(this::work);
            boolean isOvertaken = outcome instanceof Outcome.Unrecorded<Moc> late && late.isLeaseLost();
            return isOvertaken ? seen(id, once, null) : outcome;
        } catch (SearchIndex.OvertakenException | LeaseLostException e) {
            return seen(id, once, e);
        }
    }

    private Moc work(Run<Moc> run) {
        Moc moc = run.record();
        List<MocFile> files = mocs.files(moc.id());
        verifier.verify(moc.id(), files, run::ensure);
        String thumbnail = thumbnails.assign(moc.id(), files, run::ensure);
        run.ensure();
        search.index(moc, files, run.fence().value());
        return moc.withThumbnail(thumbnail);
    }

    /** What another caller is told who comes now: for one that was overtaken, and wrote nothing. */
    private Outcome<Moc> seen(UUID id, Once<Moc> once, @Nullable RuntimeException why) {
        return once.peek()
                .outcome()
                .orElseThrow(() -> new LeaseException(
                        LeaseException.Code.UNAVAILABLE,
                        mapping.keyOf(id),
                        "This finalize was overtaken, and the one that overtook it has failed. Send it again.",
                        why));
    }

    /** Writes the documents of all finalized MOCs anew, for an index that was empty or off; gives their number. */
    int reindex() {
        if (!search.isOn()) {
            throw new IllegalArgumentException("--reindex needs OPENSEARCH_URL.");
        }
        int indexed = 0;
        List<MocRepository.Finalized> page = mocs.finalizedAfter(new UUID(0, 0));
        while (!page.isEmpty()) {
            for (MocRepository.Finalized found : page) {
                search.index(found.moc(), mocs.files(found.moc().id()), found.fence());
                indexed++;
            }
            page = mocs.finalizedAfter(page.get(page.size() - 1).moc().id());
        }
        return indexed;
    }
}
