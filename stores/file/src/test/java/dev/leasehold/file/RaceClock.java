package dev.leasehold.file;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;

/** A clock in memory that several processes share. It crawls during a round and then jumps to the next. */
final class RaceClock implements LongSupplier {
    static final long ROUND_MICROS = 600_000_000;

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final int ROUND = 0;
    private static final int TICKS = Long.BYTES;
    private static final int FENCE = 2 * Long.BYTES;
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final MappedByteBuffer memory;

    RaceClock(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 3 * Long.BYTES);
        }
    }

    long round() {
        return (long) LONGS.getVolatile(memory, ROUND);
    }

    /** Ends the round, unless it has ended. */
    void end(long round) {
        LONGS.compareAndSet(memory, ROUND, round, round + 1);
    }

    /** Remembers the fence of the present holder; returns the one before it. */
    long exchangeFence(long fence) {
        return (long) LONGS.getAndSet(memory, FENCE, fence);
    }

    /** In which round a fence was given. */
    static long roundOf(long fence) {
        return (fence - START_MICROS) / ROUND_MICROS;
    }

    @Override
    public long getAsLong() {
        long ticks = (long) LONGS.getAndAdd(memory, TICKS, 1L);
        return START_MICROS + round() * ROUND_MICROS + ticks;
    }
}
