package dev.leasehold.tck.sim;

import dev.leasehold.tck.history.HistoryEvent.Kind;

/** What the leases protect: it remembers the newest fence it has seen and refuses older ones. */
final class Resource {
    private final World world;
    private long newest;

    Resource(World world) {
        this.world = world;
    }

    void write(String client, long fence) {
        if (fence < newest && world.sabotage.isResourceFenced()) {
            world.coverage.count("stale effect refused");
            world.note(Kind.STALE_EFFECT, client, "", fence, 0);
            return;
        }
        newest = Math.max(newest, fence);
        world.coverage.count("effect");
        world.note(Kind.EFFECT, client, "", fence, 0);
    }
}
