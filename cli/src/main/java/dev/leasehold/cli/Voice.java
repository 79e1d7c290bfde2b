package dev.leasehold.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the tool itself has to say, on standard error: standard output is the command's. Either lines for people, or with
 * {@code --json} one object a line.
 *
 * <p>It is said by a thread of its own. Standard error may be a pipe that nobody reads for a while, and neither a signal
 * nor a renewal may wait for that. Safe for use by many threads.
 */
final class Voice implements AutoCloseable {
    private static final String PREFIX = "leasehold: ";
    private static final long LAST_WORDS_MILLIS = 1_000;

    private final boolean isQuiet;
    private final boolean isVerbose;
    private final boolean isJson;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>(10_000);
    private @Nullable Thread speaker;

    Voice(boolean isQuiet, boolean isVerbose, boolean isJson) {
        this.isQuiet = isQuiet;
        this.isVerbose = isVerbose;
        this.isJson = isJson;
    }

    /** For those who want to know more. */
    void detail(String text) {
        if (isVerbose && !isJson) {
            say(PREFIX + Messages.clean(text));
        }
    }

    /** What happened, unless people asked for quiet. */
    void notice(String text) {
        if (!isQuiet && !isJson) {
            say(PREFIX + Messages.clean(text));
        }
    }

    /** What somebody must do something about; said in any case. */
    void error(String text) {
        if (isJson) {
            event("error", Map.of("message", text));
        } else {
            say(PREFIX + Messages.clean(text));
        }
    }

    /** Something that happened, for programs. */
    void event(String name, Map<String, ?> fields) {
        if (isJson) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("event", name);
            line.putAll(fields);
            say(Json.text(line));
        }
    }

    private synchronized void say(String line) {
        if (speaker == null) {
            speaker = new Thread(this::speak, "leasehold-voice");
            speaker.setDaemon(true);
            speaker.start();
        }
        // If nobody has read ten thousand lines, nobody will miss the next.
        boolean unused = lines.offer(line);
    }

    /** Until an empty line, which nobody says. */
    private void speak() {
        try {
            for (String line = lines.take(); !line.isEmpty(); line = lines.take()) {
                System.err.println(line);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when all is said, or nobody listens. */
    @Override
    public void close() {
        Thread last;
        synchronized (this) {
            last = speaker;
            boolean unused = lines.offer("");
        }
        try {
            if (last != null) {
                TimeUnit.MILLISECONDS.timedJoin(last, LAST_WORDS_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
