package dev.leasehold.tck.process;

import dev.leasehold.store.LeaseStore;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** What the processes of these tests have in common. */
final class Child {
    private Child() {}

    /** The store that the arguments name from there on: the class of the opener, and what it is told. */
    static LeaseStore open(String[] arguments, int from) throws Exception {
        List<String> told = Arrays.asList(arguments).subList(from + 1, arguments.length);
        return open(Class.forName(arguments[from]).asSubclass(StoreOpener.class), told);
    }

    static LeaseStore open(Class<? extends StoreOpener> opener, List<String> arguments) throws Exception {
        Constructor<? extends StoreOpener> constructor = opener.getDeclaredConstructor();
        // Test classes need not be public.
        constructor.setAccessible(true);
        return constructor.newInstance().open(arguments);
    }

    /** Work on a thread of its own. If it fails the process ends, so that whoever reads its lines learns of it. */
    static void start(Callable<?> work) {
        Thread thread = new Thread(() -> {
            try {
                work.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setUncaughtExceptionHandler((failed, error) -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        thread.start();
    }

    /** Says where it is, and stays there until it is killed. */
    static void standStill(Object where) {
        System.out.println(where);
        while (true) {
            LockSupport.park();
        }
    }
}
