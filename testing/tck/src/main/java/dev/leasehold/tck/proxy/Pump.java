package dev.leasehold.tck.proxy;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.WeakHashMap;

/** Carries one direction of a connection, chunk by chunk, past the faults in force. Confined to its thread. */
final class Pump implements Runnable {
    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int LIFT_POLL_MILLIS = 20;

    private final Connection connection;
    private final Direction direction;
    private final Socket source;
    private final Socket sink;
    private final FaultPlan plan;

    private final byte[] buffer = new byte[CHUNK_BYTES];
    private final Map<Injection, Mark> starts = new WeakHashMap<>();
    private long offset;
    private long chunk;

    /** Where this stream was when an injection came into force. */
    private record Mark(long offset, long chunk) {}

    Pump(Connection connection, Direction direction, Socket source, Socket sink, FaultPlan plan) {
        this.connection = connection;
        this.direction = direction;
        this.source = source;
        this.sink = sink;
        this.plan = plan;
    }

    @Override
    public void run() {
        try {
            pump();
        } catch (IOException e) {
            connection.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            connection.close();
        }
    }

    private void pump() throws IOException, InterruptedException {
        int length;
        while ((length = read()) >= 0) {
            if (!pass(length)) {
                connection.close();
                return;
            }
            offset += length;
            chunk++;
        }
        sink.shutdownOutput();
        connection.streamEnded();
    }

    /** The end of a stream, orderly or not, does not get through a stall either. */
    private int read() throws IOException, InterruptedException {
        try {
            int length = source.getInputStream().read(buffer);
            if (length < 0) {
                stall();
            }
            return length;
        } catch (IOException e) {
            stall();
            throw e;
        }
    }

    private void stall() throws InterruptedException {
        holdFrozen();
        for (Injection injection : plan.inForce()) {
            if (injection.fault() instanceof Fault.Stall && strikes(injection, 0)) {
                fired(injection);
                hold(injection, FOR_EVER);
            }
        }
    }

    private void holdFrozen() throws InterruptedException {
        Injection freeze = connection.freeze();
        if (freeze != null) {
            hold(freeze, FOR_EVER);
        }
    }

    /** False if the connection is to be reset. */
    private boolean pass(int length) throws IOException, InterruptedException {
        holdFrozen();
        Injection thief = direction == Direction.TO_CLIENT ? connection.replyThief() : null;
        if (thief != null) {
            fired(thief);
            return false;
        }
        List<Injection> replays = new ArrayList<>();
        for (Injection injection : plan.inForce()) {
            if (!strikes(injection, length)) {
                continue;
            }
            if (injection.fault() instanceof Fault.Replay) {
                replays.add(injection);
            } else if (!survives(injection)) {
                return false;
            }
        }
        Connection.write(sink, buffer, length);
        for (Injection replay : replays) {
            connection.replay(replay, Arrays.copyOf(buffer, length), offset);
        }
        return true;
    }

    private boolean strikes(Injection injection, int length) {
        return !connection.isOver()
                && injection.fault().directions().contains(direction)
                && isDue(injection, length)
                && dice(injection).nextDouble() < injection.probability()
                && injection.strike();
    }

    private boolean isDue(Injection injection, int length) {
        Mark start = start(injection);
        if (injection.fault() instanceof Fault.DropAfterBytes drop) {
            return offset + length - start.offset() > drop.bytes();
        }
        if (injection.fault() instanceof Fault.Freeze freeze) {
            return new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(freeze.text());
        }
        if (injection.fault() instanceof Fault.LoseReply lose) {
            return chunk + 1 - start.chunk() >= lose.request();
        }
        return true;
    }

    private Mark start(Injection injection) {
        return starts.computeIfAbsent(injection, i -> new Mark(offset, chunk));
    }

    /** Lets the fault do its harm to the chunk in the buffer; true if the chunk is still to be forwarded. */
    private boolean survives(Injection injection) throws IOException, InterruptedException {
        Fault fault = injection.fault();
        if (fault instanceof Fault.LoseReply) {
            connection.loseReply(injection);
            return true;
        }
        if (fault instanceof Fault.Freeze) {
            connection.freeze(injection);
        }
        fired(injection);
        if (fault instanceof Fault.Delay delay) {
            double part = dice(injection).split().nextDouble();
            hold(injection, delay.base().plusNanos((long) (delay.jitter().toNanos() * part)));
            return true;
        }
        if (fault instanceof Fault.Stall || fault instanceof Fault.Freeze) {
            hold(injection, FOR_EVER);
            return true;
        }
        if (fault instanceof Fault.DropAfterBytes drop) {
            long passed = offset - start(injection).offset();
            Connection.write(sink, buffer, (int) Math.max(0, drop.bytes() - passed));
            swallow(injection, drop.hold());
        }
        return false;
    }

    private void swallow(Injection injection, Duration hold) throws IOException, InterruptedException {
        long start = System.nanoTime();
        source.setSoTimeout(LIFT_POLL_MILLIS);
        while (!injection.isLifted() && System.nanoTime() - start < hold.toNanos()) {
            try {
                if (source.getInputStream().read(buffer) < 0) {
                    hold(injection, hold.minusNanos(System.nanoTime() - start));
                }
            } catch (SocketTimeoutException e) {
                // Nothing to swallow for a while; look again whether this is over.
            }
        }
    }

    private void hold(Injection injection, Duration atMost) throws InterruptedException {
        plan.await(() -> injection.isLifted() || connection.isOver(), atMost);
    }

    private SplittableRandom dice(Injection injection) {
        return plan.dice(injection, connection.number(), direction, chunk);
    }

    private void fired(Injection injection) {
        plan.fired(injection, connection.number(), direction, offset);
    }
}
