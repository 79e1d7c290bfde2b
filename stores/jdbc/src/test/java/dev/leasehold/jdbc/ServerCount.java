package dev.leasehold.jdbc;

import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Counts the statements that a server executes for others, by the server's own account. */
enum ServerCount {
    /** By its log, which must have every statement. */
    POSTGRESQL {
        @Override
        long during(Connection own, Work work) throws Exception {
            String name = Ask.key().value();
            Sessions.ask(own, "SELECT 'from " + name + "'");
            work.run();
            Sessions.ask(own, "SELECT 'to " + name + "'");
            Threads.eventually("logged", () -> indexOf("'to " + name, log(own)) >= 0);
            List<String> lines = log(own);
            return lines.subList(indexOf("'from " + name, lines) + 1, indexOf("'to " + name, lines)).stream()
                    .filter(line -> STATEMENT.matcher(line).find())
                    .count();
        }

        @Override
        boolean isListening(Connection own) {
            return ask(
                            own,
                            "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle'"
                                    + " AND query LIKE 'LISTEN leasehold_%'")
                    .equals("1");
        }
    },
    /** By the number of questions that it was asked, the last of our own included. */
    MARIADB {
        @Override
        long during(Connection own, Work work) throws Exception {
            String sql = "SELECT variable_value FROM information_schema.global_status"
                    + " WHERE variable_name = 'QUESTIONS'";
            long before = Long.parseLong(Sessions.ask(own, sql));
            work.run();
            return Long.parseLong(Sessions.ask(own, sql)) - before - 1;
        }

        @Override
        boolean isListening(Connection own) {
            return true; // It has no wake-ups to listen to.
        }
    };

    /** What is counted. */
    interface Work {
        void run() throws Exception;
    }

    private static final Pattern STATEMENT = Pattern.compile("LOG:  (execute|statement)");

    /** How many statements were executed meanwhile, but for those of this connection. */
    abstract long during(Connection own, Work work) throws Exception;

    /** Whether a store that was asked to wait has its connection for wake-ups, which is opened on another thread. */
    abstract boolean isListening(Connection own);

    private static List<String> log(Connection own) {
        return ask(own, "SELECT pg_read_file(pg_current_logfile())").lines().toList();
    }

    private static String ask(Connection own, String query) {
        try {
            return Sessions.ask(own, query);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static int indexOf(String text, List<String> lines) {
        return IntStream.range(0, lines.size())
                .filter(i -> lines.get(i).contains(text))
                .findFirst()
                .orElse(-1);
    }
}
