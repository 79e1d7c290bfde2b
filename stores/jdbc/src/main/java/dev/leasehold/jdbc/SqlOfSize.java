package dev.leasehold.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/** A statement on lists of so many; the few sizes that occur are each put together once. */
final class SqlOfSize {
    private final IntFunction<Sql> template;
    private final Map<Integer, Sql> known = new ConcurrentHashMap<>();

    SqlOfSize(IntFunction<Sql> template) {
        this.template = template;
    }

    /** The size to take for so many: the next power of two, so that there are few statements to prepare. */
    static int places(int wanted) {
        return wanted <= 1 ? 1 : Integer.highestOneBit(wanted - 1) << 1;
    }

    Sql of(int size) {
        return known.computeIfAbsent(size, template::apply);
    }
}
