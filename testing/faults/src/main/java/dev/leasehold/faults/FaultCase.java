package dev.leasehold.faults;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One way for things to go wrong.
 *
 * @param name for the command line
 * @param title for people
 * @param lasts from when it is injected to when it is healed
 * @param fits where it can be injected
 * @param waives the promises that it may break, because it breaks what they assume
 * @param expects outcomes without which the cell has tested nothing
 */
record FaultCase(
        String name,
        String title,
        Duration lasts,
        Predicate<Bed> fits,
        Set<String> waives,
        Set<Kind> expects,
        Injector injector) {

    /** What happened when a fault was there: how often it struck, and at what that can be seen. */
    record Evidence(int count, String what) {}

    /** Makes things go wrong. */
    interface Injector {
        /** Is called before the crew begins, while no lease is held. */
        default void prepare(Bed bed) throws Exception {}

        Injected inject(Scene scene) throws Exception;
    }

    /** A fault that is there. */
    interface Injected {
        Evidence heal() throws Exception;

        /** Is called when the cell has been judged. A fault that the crew must get over by itself ends here. */
        default void end() throws Exception {}
    }

    /** A fault for any store, which breaks no promise. */
    static FaultCase of(String name, String title, Duration lasts, Injector injector) {
        return new FaultCase(name, title, lasts, bed -> true, Set.of(), Set.of(), injector);
    }

    FaultCase where(Predicate<Bed> place) {
        return new FaultCase(name, title, lasts, place, waives, expects, injector);
    }

    FaultCase waiving(Set<String> promises) {
        return new FaultCase(name, title, lasts, fits, promises, expects, injector);
    }

    FaultCase expecting(Kind... outcomes) {
        return new FaultCase(name, title, lasts, fits, waives, Set.of(outcomes), injector);
    }

    @Override
    public String toString() {
        return name;
    }
}
