package dev.leasehold.tck.process;

import dev.leasehold.store.LeaseStore;
import java.util.List;

/** Opens a store on a {@link SharedStore}'s data. Needs a constructor without parameters: each process makes its own. */
public interface StoreOpener {
    /** Opens a store. It is told what {@link SharedStore#arguments} says. */
    LeaseStore open(List<String> arguments) throws Exception;
}
