package dev.leasehold.tck.sim;

import dev.leasehold.lease.FenceGuard;
import dev.leasehold.store.Fence;
import dev.leasehold.tck.history.HistoryEvent.Kind;

/** What the leases protect, behind a guard that refuses older fences. */
final class Resource {
    private final World world;
    private final FenceGuard guard = new FenceGuard();

    Resource(World world) {
        this.world = world;
    }

    void write(String client, long fence) {
        if (!guard.admits(Fence.of(fence)) && world.sabotage.isResourceFenced()) {
            world.coverage.count("stale effect refused");
            world.note(Kind.STALE_EFFECT, client, "", fence, 0);
            return;
        }
        world.coverage.count("effect");
        world.note(Kind.EFFECT, client, "", fence, 0);
    }
}
