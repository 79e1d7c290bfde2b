package dev.leasehold.tck.proxy;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/**
 * A TCP proxy on the loopback interface that passes bytes on between clients and a real server, and harms them as told.
 *
 * <p>Faults can be injected and lifted at any time and apply to all present and future connections:
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to(postgres, seed)) {
 *     Injection lost = proxy.injectOnce(new Fault.LoseReply(1));
 *     acquireThrough(proxy.address());
 *     assertThat(lost.firings()).as(proxy.toString()).isEqualTo(1);
 * }
 * }</pre>
 *
 * <p>A fault injected with a probability below 1 throws dice for every chunk that it could strike. The dice depend only
 * on the seed, on how many faults were injected before, and on the number of the connection and of the chunk in its
 * direction: the same seed and the same traffic give the same firings. Traffic is the same if clients connect in the
 * same order and take turns with the server; a stream that is cut into chunks by chance is not. Where several faults
 * strike one chunk they do so in the order of their injection.
 *
 * <p>Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final long seed;
    private final FaultPlan plan;
    private final Resources resources = new Resources();
    private volatile InetSocketAddress target;
    private volatile int accepted;

    private FaultProxy(ServerSocket listener, InetSocketAddress target, long seed) {
        this.listener = listener;
        this.target = target;
        this.seed = seed;
        this.plan = new FaultPlan(seed);
    }

    /**
     * Starts a proxy in front of a server, which need not be up yet.
     *
     * @throws UncheckedIOException if no loopback port can be had
     */
    public static FaultProxy to(InetSocketAddress target, long seed) {
        try {
            FaultProxy proxy = new FaultProxy(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), target, seed);
            proxy.resources.add(proxy.listener);
            proxy.resources.start(proxy.threadName("accept"), proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException("no loopback port for a proxy to " + target, e);
        }
    }

    /** Where clients connect to. */
    public InetSocketAddress address() {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** How many connections have been accepted so far, refused ones included. */
    public int connections() {
        return accepted;
    }

    /** Sends future connections to another server, as after a restart on another port. Present ones stay. */
    public void retarget(InetSocketAddress newTarget) {
        target = newTarget;
    }

    /** Puts a fault in force that strikes whatever it can. */
    public Injection inject(Fault fault) {
        return plan.inject(fault, 1, false);
    }

    /**
     * Puts a fault in force that strikes each chunk, or connection, with this probability.
     *
     * @throws IllegalArgumentException unless {@code probability} is above 0 and at most 1
     */
    public Injection inject(Fault fault, double probability) {
        return plan.inject(fault, probability, false);
    }

    /** Puts a fault in force that strikes the first thing it can and nothing after that. */
    public Injection injectOnce(Fault fault) {
        return plan.inject(fault, 1, true);
    }

    /** Lifts every fault. */
    public void heal() {
        plan.inForce().forEach(Injection::lift);
    }

    /** Resets every present connection now, idle ones included, and says how many there were. Not a firing. */
    public int resetAll() {
        int count = 0;
        for (Closeable resource : resources.open()) {
            if (resource instanceof Connection connection && !connection.isOver()) {
                connection.close();
                count++;
            }
        }
        return count;
    }

    /** What the faults have done so far, in order of time; the first 100,000 entries. */
    public List<Firing> firings() {
        return plan.firings();
    }

    private void accept() {
        try {
            while (true) {
                admit(listener.accept());
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void admit(Socket client) throws IOException {
        int number = accepted + 1;
        accepted = number;
        for (Injection injection : plan.inForce()) {
            if (injection.fault() instanceof Fault.RefuseConnections
                    && plan.dice(injection, number, Direction.TO_SERVER, 0).nextDouble() < injection.probability()
                    && injection.strike()) {
                plan.fired(injection, number, Direction.TO_SERVER, 0);
                Connection.reset(client);
                return;
            }
        }
        Connection connection = new Connection(number, client, plan, resources);
        if (resources.add(connection)) {
            resources.start(threadName(Integer.toString(number)), () -> connection.run(target));
        }
    }

    private String threadName(String role) {
        return "fault-proxy-" + port() + "-" + role;
    }

    /** Resets every connection, stops listening and ends every thread; waits for that, at most a few seconds. */
    @Override
    public void close() {
        resources.close(plan::wake);
    }

    /** Names the seed, so that an assertion described with it can be repeated. */
    @Override
    public String toString() {
        return "FaultProxy[" + address() + " -> " + target + ", seed " + seed + ", in force: "
                + plan.inForce().stream().map(Injection::fault).toList() + ", fired: " + plan.firings() + "]";
    }
}
