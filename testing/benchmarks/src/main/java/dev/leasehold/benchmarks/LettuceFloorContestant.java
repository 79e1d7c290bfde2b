package dev.leasehold.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.Optional;

/**
 * The floor's scripts, called by Lettuce: on one connection that all threads share, as it is meant to be used, one call at a
 * time for each of them.
 */
final class LettuceFloorContestant implements Contestant.Locks {
    @Override
    public String name() {
        return "floor-lettuce";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.REDIS;
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        RedisClient client = RedisClient.create(bed.url);
        RedisCommands<String, String> commands = client.connect().sync();
        String acquire = commands.scriptLoad(RedisFloor.ACQUIRE);
        String release = commands.scriptLoad(RedisFloor.RELEASE);
        String ttl = RedisFloorContestant.micros(cell);
        // A key of its own beside the floor's: the two are held by different calls.
        return new Node<>(
                () -> key -> {
                    String nonce = Nonces.fresh();
                    String[] place = {"lettuce-" + RedisFloor.PREFIX + key};
                    Long fence = commands.evalsha(acquire, ScriptOutputType.INTEGER, place, nonce, ttl);
                    return fence == null
                            ? Optional.empty()
                            : Optional.of(() -> commands.evalsha(release, ScriptOutputType.INTEGER, place, nonce));
                },
                client::close);
    }
}
