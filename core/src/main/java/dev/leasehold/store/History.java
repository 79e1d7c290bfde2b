package dev.leasehold.store;

import java.time.Duration;
import java.util.List;

/**
 * What happened to keys: who had them and when, who was refused and why, who was made to give them back.
 *
 * <p>It is there for people. No lease depends on it, it may lack entries that a client had to drop, and an entry may
 * stand in it twice if the answer to an append was lost. What every history promises:
 *
 * <ul>
 *   <li>Entries are seen in the order of their numbers: whoever has seen one will never find a new one before it. So
 *       {@link HistoryRequest#after} misses nothing.
 *   <li>Notes of one append get numbers in their order, with no other entry in between.
 *   <li>Numbers are never given twice, and stay below 2<sup>53</sup>.
 * </ul>
 *
 * <p>Safe for use by many threads. Fails as {@link LeaseStore} does.
 */
public interface History {
    /** Adds entries, in this order, behind all that are there. */
    void append(List<HistoryNote> notes);

    /** The entries that were asked for, as many as there are up to the limit. */
    List<HistoryEntry> read(HistoryRequest request);

    /**
     * Drops entries that are older than this, about so many at most: a store that keeps them in files drops whole files,
     * and so keeps some of them a little longer.
     *
     * @return how many were dropped
     */
    int forget(Duration olderThan, int limit);
}
