package dev.leasehold.servers;

import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Starts servers, pauses one, and says where and what they are. */
final class StartServers {
    private StartServers() {}

    public static void main(String[] arguments) {
        PostgresServer running = PostgresServer.shared(18, Config.relaxed());
        PostgresServer paused = PostgresServer.start(18, Config.relaxed());
        RedisServer redis = RedisServer.shared();
        String processes = Stream.of(running, paused, redis)
                .flatMap(server -> server.processes().stream())
                .map(process -> Long.toString(process.pid()))
                .collect(Collectors.joining(" "));
        paused.pause();
        Guard.roots().forEach(System.out::println);
        System.out.println(processes);
    }

    /** The same, and stays. */
    static final class AndWait {
        private AndWait() {}

        public static void main(String[] arguments) throws IOException {
            StartServers.main(arguments);
            System.in.read();
        }
    }
}
