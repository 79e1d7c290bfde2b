package dev.leasehold.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A small shell process that outlives this one. It alone signals the command, so that there is one place that decides
 * who is signalled, and it goes on when this process is killed or stopped. {@code supervisor.sh} says what it is told.
 */
final class Supervisor {
    /** Whoever wants to know that the supervisor began to end the command without being told to. */
    interface Listener {
        void stopping();
    }

    private final Process process;
    private final Writer words;
    private final CountDownLatch gone = new CountDownLatch(1);

    private Supervisor(Process process) {
        this.process = process;
        this.words = process.outputWriter(StandardCharsets.US_ASCII);
    }

    /** @param grace between TERM and KILL if this process dies */
    static Supervisor start(Duration grace) throws IOException {
        List<String> command = new ArrayList<>();
        // In a session of its own the keys of a terminal do not reach it, nor does a signal to our group.
        Programs.find("setsid").ifPresent(setsid -> command.add(setsid.toString()));
        command.addAll(List.of("sh", "-c", script(), "leasehold-supervisor", seconds(grace)));
        return new Supervisor(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    private static String script() throws IOException {
        try (InputStream script = Supervisor.class.getResourceAsStream("supervisor.sh")) {
            if (script == null) {
                throw new IOException("The resource supervisor.sh is missing.");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Tells the listener, from a thread of its own. */
    void listen(Listener listener) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            if (line.equals("gone")) {
                                gone.countDown();
                            } else {
                                listener.stopping();
                            }
                        }
                    } catch (IOException e) {
                        // The same as its end: nothing more will be heard.
                    } finally {
                        gone.countDown();
                    }
                },
                "leasehold-supervisor");
        thread.setDaemon(true);
        thread.start();
    }

    void child(long pid, boolean isGroup) {
        say("child " + pid + (isGroup ? " group" : " tree"));
    }

    /** The command may live for so long, unless this is said again; then it is ended with that grace. */
    void live(Duration time, Duration grace) {
        say("live " + seconds(time) + " " + seconds(grace));
    }

    void stop(Duration grace) {
        say("stop " + seconds(grace));
    }

    void signal(String name) {
        say("signal " + name);
    }

    /** Once this is said, nothing is signalled any more. */
    void ended() {
        say("ended");
    }

    /** Waits until nothing is left of a command that is being ended. */
    void awaitGone(Duration longest) throws InterruptedException {
        if (!gone.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
            say("signal KILL");
        }
    }

    private synchronized void say(String line) {
        try {
            words.write(line + "\n");
            words.flush();
        } catch (IOException e) {
            // It was killed. The command still ends with this process, and a lost lease is told by the engine.
            gone.countDown();
        }
    }

    private static String seconds(Duration time) {
        long millis = Math.max(0, time.toMillis());
        String part = Long.toString(1_000 + millis % 1_000).substring(1);
        return millis / 1_000 + "." + part;
    }
}
