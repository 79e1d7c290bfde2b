package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.process.SharedStore;
import dev.leasehold.tck.process.StoreOpener;
import java.util.List;

/** A database that several processes use at once. */
record SharedDatabase(TestDatabase database) implements SharedStore {
    /** Opens a store at what {@link TestDatabase#address} gives. */
    static final class Opener implements StoreOpener {
        @Override
        public LeaseStore open(List<String> address) {
            String user = address.get(1);
            return user.isEmpty()
                    ? JdbcLeaseStore.of(address.get(0), null, null)
                    : JdbcLeaseStore.of(address.get(0), user, address.get(2));
        }
    }

    @Override
    public Class<Opener> opener() {
        return Opener.class;
    }

    @Override
    public List<String> arguments() {
        return database.address();
    }

    @Override
    public void close() {
        database.close();
    }
}
