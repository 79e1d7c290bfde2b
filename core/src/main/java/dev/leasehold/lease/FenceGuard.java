package dev.leasehold.lease;

import dev.leasehold.store.Fence;

/**
 * Stands before something that only one holder at a time may change, and turns away holders that were overtaken.
 *
 * <p>It remembers the largest fence it has seen. A smaller one is refused: its holder slept while somebody newer came.
 * An equal or larger one is let in. For things that live in this process, such as a connection to a device or an open
 * file; a database checks the fence itself.
 *
 * <p>One gap is left that no guard can close: until the new holder has shown its fence once, an old holder's change
 * still gets in. So a new holder shows its fence first, by {@link #admits}, and reads what it depends on after that.
 */
public final class FenceGuard {
    private long newest;

    /** Whether the holder with this fence may make a change. If so, all older ones are turned away from now on. */
    public synchronized boolean admits(Fence fence) {
        if (fence.value() < newest) {
            return false;
        }
        newest = fence.value();
        return true;
    }

    /**
     * Makes the change if the holder may, while no other change through this guard is under way.
     *
     * @return whether it was made
     */
    public synchronized <X extends Exception> boolean change(Fence fence, Change<X> change) throws X {
        boolean isAdmitted = admits(fence);
        if (isAdmitted) {
            change.make();
        }
        return isAdmitted;
    }

    /** A change that must not come from a holder that was overtaken. */
    public interface Change<X extends Exception> {
        void make() throws X;
    }
}
