package dev.leasehold.file;

import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules.Change;
import org.jspecify.annotations.Nullable;

/** What a verb makes of the record it finds. It may be asked several times, until nobody else came in between. */
interface Decision<R> {
    Change<R> on(@Nullable LeaseRecord record, long nowMicros);
}
