package dev.leasehold.cli;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * The signals that this process gets, handed to somebody else instead of ending it. Those that were ignored when it
 * started, as under {@code nohup}, stay ignored. QUIT cannot be had: the JVM answers it with a list of its threads.
 *
 * <p>The JDK has no other door to signals than {@code sun.misc.Signal}. It is opened by reflection, because the compiler
 * warns of that class and cannot be told not to.
 */
final class Signals {
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP", "USR1", "USR2", "CONT");

    private Signals() {}

    static void handTo(Consumer<String> receiver) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Method handle = signal.getMethod("handle", signal, handler);
            Method name = signal.getMethod("getName");
            Object ours = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getDeclaringClass() == Object.class) {
                            return method.invoke(receiver, arguments);
                        }
                        receiver.accept((String) name.invoke(arguments[0]));
                        return null;
                    });
            for (String wanted : NAMES) {
                take(signal, handle, wanted, ours);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This JVM hands out no signals.", e);
        }
    }

    private static void take(Class<?> signal, Method handle, String name, Object handler) {
        try {
            handle.invoke(null, signal.getConstructor(String.class).newInstance(name), handler);
        } catch (ReflectiveOperationException e) {
            // The JVM keeps it for itself, or the system has no such signal: it does what it does without us.
            return;
        }
    }

    /** Whether it asks for an end. */
    static boolean isStop(String name) {
        return number(name) > 0;
    }

    /** Of those that ask for an end, the number; the same on all systems. */
    static int number(String name) {
        return switch (name) {
            case "HUP" -> 1;
            case "INT" -> 2;
            case "TERM" -> 15;
            default -> 0;
        };
    }
}
