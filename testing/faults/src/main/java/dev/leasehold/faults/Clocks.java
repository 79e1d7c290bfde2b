package dev.leasehold.faults;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How far a worker's clocks are off, in a file that both the worker and the harness have mapped. So the harness can
 * change them while the worker is stopped, as a machine's clocks change while it sleeps.
 */
final class Clocks {
    private static final int WALL_MICROS = 0;
    private static final int HIDDEN_NANOS = 1;

    private final LongBuffer values;

    Clocks(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            values = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Long.BYTES)
                    .asLongBuffer();
        }
    }

    /** How far the wall clock is ahead of the real one. */
    long wallMicros() {
        return values.get(WALL_MICROS);
    }

    void setWallMicros(long micros) {
        values.put(WALL_MICROS, micros);
    }

    /** How long the monotonic clock has stood still so far. */
    long hiddenNanos() {
        return values.get(HIDDEN_NANOS);
    }

    void hide(long nanos) {
        values.put(HIDDEN_NANOS, hiddenNanos() + nanos);
    }
}
