package dev.leasehold.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is due when, for all calls and leases of one client: one order instead of a timer for each.
 *
 * <p>A binary heap whose items know their places in it, because items are moved much more often than they become due: a
 * lease three times with each renewal.
 */
final class Agenda {
    private static final int FEW = 16;

    private @Nullable Item[] heap = new Item[FEW];
    private int size;
    /** How many items a caller waits for. */
    private int awaited;

    private long nextSequence;

    /** Something that becomes due at one moment at a time. */
    abstract static class Item {
        private long at = NEVER;
        private long sequence;
        private int place;

        static final long NEVER = Long.MAX_VALUE;

        /** Called when the moment has come; the item is off the agenda and may put itself back. */
        abstract void due(Moment now);

        /** Whether a caller waits for what becomes of it. */
        boolean isAwaited() {
            return false;
        }

        /** Those of one moment in the order in which they were put down. */
        private boolean isBefore(Item other) {
            return at != other.at ? at < other.at : sequence < other.sequence;
        }
    }

    /** Puts the item down for this moment instead of any other. */
    void put(Item item, long at) {
        if (item.at == at) {
            return;
        }
        boolean wasThere = item.at != Item.NEVER;
        item.at = at;
        item.sequence = nextSequence++;
        if (at == Item.NEVER) {
            takeOut(item);
        } else {
            if (!wasThere) {
                append(item);
            }
            settle(item);
        }
    }

    void remove(Item item) {
        put(item, Item.NEVER);
    }

    /** When the next item is due; {@link Long#MAX_VALUE} if there is none. */
    long next() {
        return size == 0 ? Item.NEVER : at(0).at;
    }

    int size() {
        return size;
    }

    /** Whether it holds an item that a caller waits for. */
    boolean isAwaited() {
        return awaited > 0;
    }

    /** Handles everything that is due, in order, once. */
    void run(Moment now) {
        List<Item> due = new ArrayList<>();
        while (next() != Item.NEVER && next() <= now.nanos()) {
            Item item = at(0);
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

    private void append(Item item) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        set(size++, item);
        awaited += item.isAwaited() ? 1 : 0;
    }

    /** The last one takes its place. */
    private void takeOut(Item item) {
        Item last = at(--size);
        heap[size] = null;
        awaited -= item.isAwaited() ? 1 : 0;
        if (last != item) {
            set(item.place, last);
            settle(last);
        }
    }

    /** Moves the item to where it belongs. */
    private void settle(Item item) {
        int place = item.place;
        while (place > 0 && item.isBefore(at((place - 1) / 2))) {
            set(place, at((place - 1) / 2));
            place = (place - 1) / 2;
        }
        for (int next = earlierChild(place); next < size && at(next).isBefore(item); next = earlierChild(place)) {
            set(place, at(next));
            place = next;
        }
        set(place, item);
    }

    /** Beyond the last if there is none. */
    private int earlierChild(int place) {
        int left = 2 * place + 1;
        return left + 1 < size && at(left + 1).isBefore(at(left)) ? left + 1 : left;
    }

    private Item at(int place) {
        Item item = heap[place];
        if (item == null) {
            throw new IllegalStateException("There is nothing at place " + place + " of " + size + ".");
        }
        return item;
    }

    private void set(int place, Item item) {
        heap[place] = item;
        item.place = place;
    }
}
