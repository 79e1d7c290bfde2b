package dev.leasehold.servers;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A server, and the power over its process.
 *
 * <p>A shared server is everybody's in this JVM: whoever kills or pauses it brings it back. It outlives
 * {@link #close()} and ends with the JVM.
 *
 * <p>If the server is somebody else's, everything here but {@link #close()} throws
 * {@link UnsupportedOperationException}. Safe for use by many threads.
 */
public abstract sealed class Server implements AutoCloseable
        permits SqlServer, RedisServer, S3Server, OpenSearchServer {
    private final Optional<Instance> instance;
    private final String variable;
    private final boolean isShared;

    Server(@Nullable Instance instance, String variable, boolean isShared) {
        this.instance = Optional.ofNullable(instance);
        this.variable = variable;
        this.isShared = isShared;
    }

    /** Whether it was started by this JVM, rather than named in the environment. */
    public boolean isBuiltIn() {
        return instance.isPresent();
    }

    /** Kills all its processes, as {@code kill -9} does, and waits for their end. */
    public void kill() {
        own().kill();
    }

    /** Starts it again after its end, or ends it in order first. Port, data and settings stay. */
    public void restart() {
        own().restart();
    }

    /** Stops all its processes where they are. Connections stay open and nobody answers. */
    public void pause() {
        own().pause();
    }

    /** Lets it go on after {@link #pause()}. */
    public void resume() {
        own().resume();
    }

    /**
     * Sets its wall clock forward, or back, while it runs. It stays so, also after a restart. Timers that go by another
     * clock do not notice.
     *
     * @throws UnsupportedOperationException if it was started without {@link Config#withMovableClock}
     */
    public void moveClock(Duration by) {
        own().moveClock(by);
    }

    /** What it takes for the time. */
    public abstract Instant time();

    /** How far its clock was moved. */
    final Duration clockAhead() {
        return own().clockAhead();
    }

    /** Keeps what is on disk now, as a crash would leave it. The server runs on, after a short halt. */
    public Snapshot snapshot() {
        return own().snapshot();
    }

    /** Kills it and starts it again with the data of a snapshot: all later commits are lost. */
    public void restore(Snapshot snapshot) {
        own().restore(snapshot);
    }

    /** Ends it at once and deletes its data, unless they are kept, or it is shared or somebody else's. */
    @Override
    public void close() {
        if (!isShared) {
            instance.ifPresent(Instance::close);
        }
    }

    /** The id of its first process, another one after each start. */
    public long pid() {
        return processes().get(0).pid();
    }

    List<ProcessHandle> processes() {
        return own().processes();
    }

    private Instance own() {
        return instance.orElseThrow(() -> new UnsupportedOperationException("The server named by " + variable
                + " is not ours to kill, restart, pause, copy or set the clock of. Unset " + variable
                + " to use a built-in one."));
    }
}
