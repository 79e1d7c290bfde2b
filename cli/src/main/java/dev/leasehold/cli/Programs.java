package dev.leasehold.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Programs on the search path. */
final class Programs {
    private Programs() {}

    /** What became of looking for a program. */
    enum Found {
        YES,
        NOT_EXECUTABLE,
        NO
    }

    /** Looks where a shell would. */
    static Found look(String command) {
        if (command.contains("/")) {
            return judge(Path.of(command));
        }
        Found best = Found.NO;
        for (String directory : searchPath()) {
            Found here = judge(Path.of(directory.isEmpty() ? "." : directory, command));
            if (here == Found.YES) {
                return here;
            }
            best = here == Found.NO ? best : here;
        }
        return best;
    }

    /** The program itself, with links followed, if it can be run. */
    static Optional<Path> find(String name) {
        for (String directory : searchPath()) {
            Path file = Path.of(directory, name);
            if (judge(file) == Found.YES) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    private static String[] searchPath() {
        String path = System.getenv("PATH");
        return (path == null ? "/usr/bin:/bin" : path).split(":", -1);
    }

    private static Found judge(Path file) {
        if (!Files.exists(file)) {
            return Found.NO;
        }
        return Files.isExecutable(file) && !Files.isDirectory(file) ? Found.YES : Found.NOT_EXECUTABLE;
    }
}
