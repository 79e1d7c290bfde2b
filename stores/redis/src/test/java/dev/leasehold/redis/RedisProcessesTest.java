package dev.leasehold.redis;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.process.RunOnceProcessContract;
import dev.leasehold.tck.process.SharedStore;
import dev.leasehold.tck.process.StoreOpener;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Processes on Redis")
class RedisProcessesTest extends RunOnceProcessContract {
    /** A database of its own. */
    private record Shared(String url) implements SharedStore {
        @Override
        public Class<Opener> opener() {
            return Opener.class;
        }

        @Override
        public List<String> arguments() {
            return List.of(url);
        }
    }

    /** Opens a store at a URL. */
    static final class Opener implements StoreOpener {
        @Override
        public LeaseStore open(List<String> arguments) {
            return RedisLeaseStore.of(arguments.get(0));
        }
    }

    @Override
    protected SharedStore share(Path place) {
        return new Shared(RedisServer.shared(Config.relaxed()).freshDatabase());
    }
}
