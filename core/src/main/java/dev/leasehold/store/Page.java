package dev.leasehold.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records in the order of their keys.
 *
 * @param next what to give to {@link ListRequest#after} for the next page, or {@code null} if this was the last
 */
public record Page(List<LeaseSnapshot> records, @Nullable Key next) {
    public Page {
        records = List.copyOf(records);
    }
}
