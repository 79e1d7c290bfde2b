package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One server of ours: its files, its port, and the process when there is one. */
final class Instance {
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 20;
    private static final int PORTS_TRIED = 5;
    private static final int LINES_TOLD = 60;
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Program program;
    private final Path home;
    private final Path data;
    private final boolean isKept;
    private final Optional<WallClock> clock;
    private int port;
    private int snapshots;
    private boolean isPaused;
    private boolean isClosed;
    private @Nullable Process process;
    /** The process that this object ends. */
    private volatile @Nullable Process ending;

    private Instance(Program program, Path home, @Nullable Path kept) {
        this.program = program;
        this.home = home;
        this.data = kept == null ? home.resolve("data") : kept;
        this.isKept = kept != null;
        this.clock = program.clockLibrary().map(library -> new WallClock(library, home));
    }

    static Instance start(Program program) {
        Path home = program.isRelaxed() ? Guard.homeInMemory(program.name()) : Guard.homeOnDisk(program.name());
        return start(new Instance(program, home, null));
    }

    /** Starts with the data that this directory has; if it does not exist, with new data, which are put there. */
    static Instance startKeeping(Program program, Path data) {
        return start(new Instance(program, Guard.homeOnDisk(program.name()), data));
    }

    private static Instance start(Instance instance) {
        try {
            instance.prepare();
            instance.startOnFreePort();
        } catch (IOException e) {
            instance.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            instance.close();
            throw e;
        }
        return instance;
    }

    private void prepare() throws IOException {
        if (!isKept) {
            Trees.createPrivate(data);
            program.prepare(data);
            return;
        }
        Files.writeString(home.resolve("place"), data + "\n"); // For the guard.
        if (!Files.exists(data)) {
            Path draft = data.resolveSibling(data.getFileName() + ".draft");
            Trees.delete(draft);
            Trees.createPrivate(draft);
            program.prepare(draft);
            Files.move(draft, data, StandardCopyOption.ATOMIC_MOVE); // All of it or nothing, if this process is killed.
        }
    }

    int port() {
        return port;
    }

    Path data() {
        return data;
    }

    /** As {@code kill -9} on everything that belongs to the server. */
    synchronized void kill() {
        Process victim = running();
        ending = victim;
        List<ProcessHandle> family = Signals.freeze(victim.toHandle());
        Signals.send("KILL", family);
        Signals.awaitEnd(family);
        // Until it is collected its number is taken, and the next one would believe that it still runs.
        if (!Waiting.until(() -> !victim.isAlive(), STOP_SECONDS)) {
            throw new IllegalStateException("A killed process is not collected: " + victim);
        }
        ended();
    }

    /** Starts again on the same port with the same data, after an orderly end if it still runs. */
    synchronized void restart() {
        checkOpen();
        if (process != null) {
            stop(program.gentleSignal());
        }
        run();
    }

    /** Stays so after a restart. */
    synchronized void moveClock(Duration by) {
        checkOpen();
        clock.orElseThrow(() -> new UnsupportedOperationException(program.name() + " at port " + port
                        + " goes by the system's clock. Start one with Config.withMovableClock()."))
                .move(by);
    }

    synchronized Duration clockAhead() {
        return clock.map(WallClock::ahead).orElse(Duration.ZERO);
    }

    synchronized void pause() {
        Signals.freeze(running().toHandle());
        isPaused = true;
    }

    synchronized void resume() {
        Signals.send("CONT", Signals.family(running().toHandle()));
        isPaused = false;
    }

    /** What a crash at this moment would leave: nothing writes while the files are copied. */
    synchronized Snapshot snapshot() {
        checkOpen();
        Path copy = home.resolve("snapshot-" + ++snapshots);
        boolean isToStop = process != null && !isPaused;
        if (isToStop) {
            pause();
        }
        try {
            Trees.copy(data, copy);
        } finally {
            if (isToStop) {
                resume();
            }
        }
        return new Snapshot(this, copy);
    }

    synchronized void restore(Snapshot snapshot) {
        checkOpen();
        if (!snapshot.isOf(this)) {
            throw new IllegalArgumentException("The snapshot is of another server than " + program.name() + " at port "
                    + port + ". Restore it where it was taken.");
        }
        if (process != null) {
            kill();
        }
        Trees.delete(data);
        Trees.copy(snapshot.data(), data);
        program.marksOfLife().forEach(mark -> Trees.delete(data.resolve(mark)));
        run();
    }

    synchronized void close() {
        if (!isClosed) {
            if (process != null) {
                stop(isKept ? program.gentleSignal() : program.abruptSignal());
            }
            Trees.delete(home);
            isClosed = true;
        }
    }

    /** The server's processes, the first one first. */
    synchronized List<ProcessHandle> processes() {
        return Signals.family(running().toHandle());
    }

    private void startOnFreePort() {
        for (int tried = 1; ; tried++) {
            port = Ports.free();
            try {
                run();
                return;
            } catch (PortTakenException e) {
                if (tried == PORTS_TRIED) {
                    throw e;
                }
            }
        }
    }

    private void run() {
        Path log = home.resolve("log");
        try {
            long logged = Files.exists(log) ? Files.size(log) : 0;
            List<String> command = new ArrayList<>(program.command(data, port));
            if (isKept && Files.isExecutable(SETSID)) {
                command.add(0, SETSID.toString()); // Ctrl-C is for the program that uses the server.
            }
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(data.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            // Messages that this class can read.
            builder.environment().put("LC_ALL", "C");
            clock.ifPresent(own -> builder.environment().putAll(own.environment()));
            Process started = builder.start();
            process = started;
            Files.writeString(pidFile(), started.pid() + " " + program.abruptSignal() + "\n");
            started.getOutputStream().close();
            try {
                awaitAnswer(started, log, logged);
                var unused = started.onExit().thenRun(() -> tellUnlessEnded(started, log));
            } finally {
                clock.ifPresent(own -> WallClock.tidy(started.pid()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAnswer(Process started, Path log, long logged) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!answers()) {
            if (!started.isAlive()) {
                ended();
                String said = new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                        .substring((int) Math.min(logged, Files.size(log)));
                throw said.contains("Address already in use")
                        ? new PortTakenException(port)
                        : new IllegalStateException(program.name() + " did not start:\n" + said);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        program.name() + " does not answer after " + START_SECONDS + " s:\n" + Files.readString(log));
            }
            Waiting.briefly();
        }
    }

    /** A server that ended by itself fails the tests that use it, and its log is deleted soon. */
    private void tellUnlessEnded(Process ended, Path log) {
        if (ended == ending) {
            return;
        }
        String said;
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
            said = String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_TOLD), lines.size()));
        } catch (IOException e) {
            said = "Its log cannot be read: " + e;
        }
        System.err.println(program.name() + " at port " + port + " ended by itself with status " + ended.exitValue()
                + ". The end of its log:\n" + said);
    }

    private boolean answers() {
        try {
            return program.answers(data, port);
        } catch (Exception e) {
            return false;
        }
    }

    private void stop(String signal) {
        Process running = running();
        ending = running;
        List<ProcessHandle> family = new ArrayList<>(Signals.family(running.toHandle()));
        Signals.send("CONT", family);
        Signals.send(signal, family.subList(0, 1));
        if (!Waiting.until(() -> !running.isAlive(), STOP_SECONDS)) {
            kill();
            return;
        }
        Signals.awaitEnd(family);
        ended();
    }

    private void ended() {
        process = null;
        isPaused = false;
        Trees.delete(pidFile());
    }

    private Path pidFile() {
        return home.resolve("pid");
    }

    private Process running() {
        checkOpen();
        if (process == null) {
            throw new IllegalStateException(program.name() + " at port " + port + " does not run. Restart it first.");
        }
        return process;
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException(program.name() + " at port " + port + " is closed. Start another one.");
        }
    }

    /** Somebody else was faster. */
    private static final class PortTakenException extends IllegalStateException {
        PortTakenException(int port) {
            super("Port " + port + " is in use.");
        }
    }
}
