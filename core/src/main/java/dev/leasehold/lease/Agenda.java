package dev.leasehold.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What is due when, for all calls and leases of one client: one ordered set instead of a timer for each. */
final class Agenda {
    private final TreeSet<Item> items = new TreeSet<>();
    private long nextSequence;

    /** Something that becomes due at one moment at a time. */
    abstract static class Item implements Comparable<Item> {
        private long at = NEVER;
        private long sequence;

        static final long NEVER = Long.MAX_VALUE;

        /** Called when the moment has come; the item is off the agenda and may put itself back. */
        abstract void due(Moment now);

        long at() {
            return at;
        }

        @Override
        public final int compareTo(Item other) {
            int byMoment = Long.compare(at, other.at);
            return byMoment != 0 ? byMoment : Long.compare(sequence, other.sequence);
        }

        @Override
        public final boolean equals(Object other) {
            return this == other;
        }

        @Override
        public final int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** Puts the item down for this moment instead of any other. */
    void put(Item item, long at) {
        if (item.at != Item.NEVER) {
            if (item.at == at) {
                return;
            }
            items.remove(item);
        }
        item.at = at;
        if (at != Item.NEVER) {
            item.sequence = nextSequence++;
            items.add(item);
        }
    }

    void remove(Item item) {
        put(item, Item.NEVER);
    }

    /** When the next item is due; {@link Long#MAX_VALUE} if there is none. */
    long next() {
        return items.isEmpty() ? Item.NEVER : items.first().at;
    }

    /** Handles everything that is due, in order, once. */
    void run(Moment now) {
        List<Item> due = new ArrayList<>();
        while (!items.isEmpty() && items.first().at <= now.nanos()) {
            Item item = items.first();
            remove(item);
            due.add(item);
        }
        int handled = 0;
        try {
            for (Item item : due) {
                // An earlier one may have put this one down again, or ended it.
                if (item.at == Item.NEVER) {
                    item.due(now);
                }
                handled++;
            }
        } finally {
            // Whatever went wrong with one, it and those after it are not forgotten.
            for (Item item : due.subList(handled, due.size())) {
                if (item.at == Item.NEVER) {
                    put(item, now.nanos());
                }
            }
        }
    }
}
