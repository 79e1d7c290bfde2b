package dev.leasehold.servers;

import java.nio.file.Path;

/** What a server had on disk at one moment. It can be put back into that server, any number of times. */
public final class Snapshot {
    private final Instance origin;
    private final Path data;

    Snapshot(Instance origin, Path data) {
        this.origin = origin;
        this.data = data;
    }

    boolean isOf(Instance instance) {
        return origin == instance;
    }

    Path data() {
        return data;
    }
}
