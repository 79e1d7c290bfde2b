package dev.leasehold.tck.proxy;

import static dev.leasehold.tck.proxy.Direction.TO_SERVER;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * What can go wrong between a client and its server.
 *
 * <p>Faults strike <em>chunks</em>. A chunk is what one read of a socket gave, at most 64 KiB: between a client and a
 * server that take turns it is one request or one reply. Counts of bytes and of requests are kept per connection and
 * begin when the fault is injected, or with the connection if that comes later.
 *
 * <p>Lifting a fault lets go at once whatever it was holding: delayed chunks, stalled chunks, late copies.
 */
public sealed interface Fault {

    /** The directions whose chunks this fault strikes; none for a fault that strikes whole connections. */
    Set<Direction> directions();

    /** Holds a chunk, and all that follow it in its direction, for {@code base} and a random part of {@code jitter}. */
    record Delay(Direction direction, Duration base, Duration jitter) implements Fault {
        public Delay {
            requireNotNegative(base);
            requireNotNegative(jitter);
        }

        @Override
        public Set<Direction> directions() {
            return Set.of(direction);
        }
    }

    /**
     * Swallows everything in one direction after that many bytes, for as long as {@code hold}, then resets the
     * connection. The other direction goes on meanwhile. Lifting it resets the connection at once: a stream that has
     * lost bytes cannot go on.
     */
    record DropAfterBytes(Direction direction, long bytes, Duration hold) implements Fault {
        public DropAfterBytes {
            if (bytes < 0) {
                throw new IllegalArgumentException("bytes must not be negative: " + bytes);
            }
            requireNotNegative(hold);
        }

        @Override
        public Set<Direction> directions() {
            return Set.of(direction);
        }
    }

    /**
     * Forwards the request with that number (1 is the next), swallows the reply to it and resets the connection: the
     * server has done what it was asked, the client cannot know. Fires when the reply is swallowed.
     */
    record LoseReply(int request) implements Fault {
        public LoseReply {
            if (request < 1) {
                throw new IllegalArgumentException("requests are counted from 1: " + request);
            }
        }

        @Override
        public Set<Direction> directions() {
            return Set.of(TO_SERVER);
        }
    }

    /**
     * Forwards nothing, not even the end of a stream, until it is lifted; then everything, intact and in order. New
     * connections open and stay silent.
     */
    record Stall(Set<Direction> directions) implements Fault {
        public Stall {
            if (directions.isEmpty()) {
                throw new IllegalArgumentException("a stall needs a direction");
            }
            directions = Set.copyOf(directions);
        }

        public static Stall of(Direction direction) {
            return new Stall(Set.of(direction));
        }

        /** A partition: neither side hears the other. */
        public static Stall both() {
            return new Stall(EnumSet.allOf(Direction.class));
        }
    }

    /**
     * Forwards nothing on a connection, either way, from the request that contains this text on, until it is lifted: the
     * client's host has gone silent at this point. The connection stays open. Other connections are not touched.
     */
    record Freeze(String text) implements Fault {
        public Freeze {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("a freeze needs the text of the request that it strikes");
            }
        }

        @Override
        public Set<Direction> directions() {
            return Set.of(TO_SERVER);
        }
    }

    /** Resets the connection (TCP RST to both sides) in place of forwarding a chunk in that direction. */
    record Reset(Direction direction) implements Fault {
        @Override
        public Set<Direction> directions() {
            return Set.of(direction);
        }
    }

    /**
     * Sends the server a second copy of a request, {@code late} after the first or when the fault is lifted, whichever
     * comes first. Fires when the copy has been sent; on a new connection, when the server has also answered it.
     *
     * @param greeting what is sent and answered before a copy on a new connection, such as a password; may be empty
     */
    record Replay(Via via, Duration late, String greeting) implements Fault {
        public Replay {
            requireNotNegative(late);
        }

        /** One without a greeting. */
        public Replay(Via via, Duration late) {
            this(via, late, "");
        }

        @Override
        public Set<Direction> directions() {
            return Set.of(TO_SERVER);
        }

        /** The way that a copy takes. */
        public enum Via {
            /** The connection of the original; the client gets to see both replies. No copy if it is gone by then. */
            SAME_CONNECTION,

            /** A connection of its own, closed after the reply. For protocols whose handshake is a greeting at most. */
            NEW_CONNECTION
        }
    }

    /** Accepts new connections only to reset them. Those that are open stay. */
    record RefuseConnections() implements Fault {
        @Override
        public Set<Direction> directions() {
            return Set.of();
        }
    }

    private static void requireNotNegative(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("duration must not be negative: " + duration);
        }
    }
}
