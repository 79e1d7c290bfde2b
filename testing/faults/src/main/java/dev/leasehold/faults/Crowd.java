package dev.leasehold.faults;

import java.util.ArrayList;
import java.util.List;

/** Strangers who take every connection that a server has to give. Confined to one thread. */
final class Crowd implements AutoCloseable {
    private static final int MOST = 1_000;

    private final Door door;
    private final List<AutoCloseable> taken = new ArrayList<>();

    /** Where connections are given out. */
    interface Door {
        /** Gives out one, or fails if there are none left. */
        AutoCloseable connect() throws Exception;
    }

    Crowd(Door door) {
        this.door = door;
    }

    /** Connects until the server refuses, and says how many connections that took. */
    int fill() {
        try {
            while (taken.size() < MOST) {
                taken.add(door.connect());
            }
        } catch (Exception full) {
            return taken.size();
        }
        throw new IllegalStateException("The server has room for more than " + MOST + " connections.");
    }

    @Override
    public void close() {
        for (AutoCloseable connection : taken) {
            try {
                connection.close();
            } catch (Exception e) {
                throw new IllegalStateException("A connection cannot be given back.", e);
            }
        }
        taken.clear();
    }
}
