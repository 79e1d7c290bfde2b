package dev.leasehold.faults;

import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One worker's process, from the harness's side. What it says is kept until somebody waits for it. */
final class Member implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String GONE = "gone";

    private final String name;
    private final ChildJvm process;
    private final Clocks clocks;
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private Member(String name, ChildJvm process, Clocks clocks) {
        this.name = name;
        this.process = process;
        this.clocks = clocks;
    }

    /** Listens to a process that was started; it is not ready yet. */
    static Member of(String name, ChildJvm process, Clocks clocks) {
        Member member = new Member(name, process, clocks);
        Thread reader = new Thread(member::read, "said-by-" + name);
        reader.setDaemon(true);
        reader.start();
        return member;
    }

    private void read() {
        try {
            while (true) {
                said.add(process.line());
            }
        } catch (RuntimeException e) {
            // It has ended.
            said.add(GONE);
        }
    }

    /** Another one for each process. */
    String name() {
        return name;
    }

    Clocks clocks() {
        return clocks;
    }

    ChildJvm process() {
        return process;
    }

    void say(String line) {
        process.say(line);
    }

    /** What follows this word in the next line that begins with it; empty if there is none in time. Others are dropped. */
    Optional<String> hear(String word, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (long left = atMost.toNanos(); left > 0; left = end - System.nanoTime()) {
            String line = said.poll(left, TimeUnit.NANOSECONDS);
            if (GONE.equals(line)) {
                said.add(GONE);
                return Optional.empty();
            }
            if (line != null && line.startsWith(word)) {
                return Optional.of(line.substring(word.length()).strip());
            }
        }
        return Optional.empty();
    }

    /** Says something and waits for the answer. */
    String ask(String line, String word) throws InterruptedException {
        say(line);
        return expect(word);
    }

    String expect(String word) throws InterruptedException {
        return hear(word, PATIENCE)
                .orElseThrow(() -> new IllegalStateException(
                        name + " did not say \"" + word + "\" within " + PATIENCE.toSeconds() + " s, or has ended."));
    }

    /**
     * Waits until it is ready.
     *
     * @throws IllegalStateException if its monotonic clock is not this process's: histories could not be merged
     */
    void awaitReady(long startedNanos) throws InterruptedException {
        long shown = Long.parseLong(expect("ready"));
        if (shown - startedNanos < 0 || System.nanoTime() - shown < 0) {
            throw new IllegalStateException("System.nanoTime() of " + name + " is another clock than ours.");
        }
    }

    /** Stops it, and returns when the system shows it so. */
    void stop() throws IOException, InterruptedException {
        process.stop();
        while (!process.isStopped()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    void resume() throws IOException, InterruptedException {
        process.resume();
    }

    /** Kills it as {@code kill -9} does, and says with what code it ended. */
    int kill() throws InterruptedException {
        process.kill();
        return process.exitCode();
    }

    @Override
    public void close() {
        process.close();
    }
}
