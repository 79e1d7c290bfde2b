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

/** A clock in memory that several processes share. It stands still during a round and then jumps to the next. */
final class RaceClock implements LongSupplier {
    static final long ROUND_MICROS = 60_000_000;

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final VarHandle ROUND =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final MappedByteBuffer memory;

    RaceClock(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
    }

    long round() {
        return (long) ROUND.getVolatile(memory, 0);
    }

    /** Ends the round, unless it has ended. */
    void end(long round) {
        ROUND.compareAndSet(memory, 0, round, round + 1);
    }

    /** In which round a fence was given: at its start, or a little later if the lease was released and taken again. */
    static long roundOf(long fence) {
        return (fence - START_MICROS) / ROUND_MICROS;
    }

    @Override
    public long getAsLong() {
        return START_MICROS + round() * ROUND_MICROS;
    }
}
