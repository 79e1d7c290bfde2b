package dev.leasehold.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A small shell process that outlives this one. It alone signals the command, so that there is one place that decides
 * who is signalled, and it goes on when this process is killed or stopped. {@code supervisor.sh} says what it is told.
 *
 * <p>If it ends although nobody told it to, it is replaced by another one. Safe for use by many threads.
 */
final class Supervisor implements AutoCloseable {
    /** More than these do not die by chance. */
    private static final int MOST_LIVES = 5;

    /** Whoever wants to know what it does unasked. Called on threads of its own. */
    interface Listener {
        /** It began to end the command. */
        void stopping();

        /** It was replaced by another one, which must be told everything anew. */
        void replaced();
    }

    private final Duration grace;
    private final Listener listener;
    private final CountDownLatch isStopping = new CountDownLatch(1);
    private final CountDownLatch isGone = new CountDownLatch(1);
    private @Nullable Writer words;
    private int lives;
    private boolean isOver;

    /**
     * Starts it.
     *
     * @param grace between TERM and KILL if this process dies
     */
    Supervisor(Duration grace, Listener listener) throws IOException {
        this.grace = grace;
        this.listener = listener;
        start();
    }

    private synchronized void start() throws IOException {
        List<String> command = new ArrayList<>();
        // In a session of its own the keys of a terminal do not reach it, nor does a signal to our group.
        Programs.find("setsid").ifPresent(setsid -> command.add(setsid.toString()));
        command.addAll(List.of("sh", "-c", script(), "leasehold-supervisor", seconds(grace)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        lives++;
        words = process.outputWriter(StandardCharsets.US_ASCII);
        inBackground(() -> listen(process));
        // Not at the end of its output, which its timer may keep open for a while.
        CompletableFuture<Void> unused = process.onExit().thenRunAsync(this::replace, Supervisor::inBackground);
    }

    private static void inBackground(Runnable task) {
        Thread thread = new Thread(task, "leasehold-supervisor");
        thread.setDaemon(true);
        thread.start();
    }

    private static String script() throws IOException {
        try (InputStream script = Supervisor.class.getResourceAsStream("supervisor.sh")) {
            if (script == null) {
                throw new IOException("The resource supervisor.sh is missing.");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void listen(Process process) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.equals("stopping")) {
                    listener.stopping();
                    isStopping.countDown();
                } else if (line.equals("gone")) {
                    isGone.countDown();
                }
            }
        } catch (IOException e) {
            // The same as its end.
            return;
        }
    }

    private void replace() {
        synchronized (this) {
            if (isOver || lives == MOST_LIVES) {
                isGone.countDown();
                return;
            }
            try {
                start();
            } catch (IOException e) {
                // The command still ends with this process, by the kernel's hand.
                isGone.countDown();
                return;
            }
        }
        listener.replaced();
    }

    void child(long pid, boolean isGroup) {
        say("child " + pid + (isGroup ? " group" : " tree"));
    }

    /** The command may live for so long, unless this is said again; then it is ended with that grace. */
    void live(Duration time, Duration graceThen) {
        say("live " + seconds(time) + " " + seconds(graceThen));
    }

    /** Begins to end the command. */
    void stop(Duration graceNow) {
        say("stop " + seconds(graceNow));
    }

    void signal(String name) {
        say("signal " + name);
    }

    /** Once this is said, nothing is signalled any more. */
    synchronized void ended() {
        if (!isOver) {
            isOver = true;
            say("ended");
        }
    }

    /** Waits for the news that it began to end the command. */
    void awaitStopping(Duration longest) throws InterruptedException {
        boolean unused = isStopping.await(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits until nothing is left of a command that is being ended. */
    void awaitGone(Duration longest) throws InterruptedException {
        if (!isGone.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
            signal("KILL");
        }
    }

    @Override
    public void close() {
        ended();
    }

    private synchronized void say(String line) {
        if (words == null) {
            return;
        }
        try {
            words.write(line + "\n");
            words.flush();
        } catch (IOException e) {
            // It is gone, and will be replaced by whoever listens to it; that one is told everything anew.
            words = null;
        }
    }

    private static String seconds(Duration time) {
        long millis = Math.max(0, time.toMillis());
        String part = Long.toString(1_000 + millis % 1_000).substring(1);
        return millis / 1_000 + "." + part;
    }
}
