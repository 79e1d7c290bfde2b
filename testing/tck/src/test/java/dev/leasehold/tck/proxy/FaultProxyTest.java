package dev.leasehold.tck.proxy;

import static dev.leasehold.tck.proxy.Direction.TO_CLIENT;
import static dev.leasehold.tck.proxy.Direction.TO_SERVER;
import static dev.leasehold.tck.proxy.Fault.Replay.Via.NEW_CONNECTION;
import static dev.leasehold.tck.proxy.Fault.Replay.Via.SAME_CONNECTION;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultProxyTest {
    private static final long SEED = 20_261_115;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration AN_HOUR = Duration.ofHours(1);

    private final List<Socket> sockets = new ArrayList<>();
    private EchoServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        proxy = FaultProxy.to(server.address(), SEED);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        proxy.close();
        server.close();
    }

    @Test
    void withoutFaultsBytesAndTheEndOfEachStreamPassIntact() throws Exception {
        byte[] sent = new byte[1 << 20];
        new Random(SEED).nextBytes(sent);
        Socket client = connect();

        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                client.getOutputStream().write(sent);
                client.shutdownOutput();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        byte[] echoed = client.getInputStream().readAllBytes();

        sending.get(10, TimeUnit.SECONDS);
        assertThat(echoed).isEqualTo(sent);
        eventually(() -> server.ending(1).equals("end of stream"));
        assertThat(proxy.firings()).isEmpty();
    }

    @Test
    void delayHoldsAChunkForItsTime() throws Exception {
        Socket client = connect();
        Injection delay = proxy.inject(new Fault.Delay(TO_CLIENT, Duration.ofMillis(40), Duration.ofMillis(20)));

        long start = System.nanoTime();
        assertThat(ask(client, "slow")).isEqualTo("slow");

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(40_000_000);
        assertThat(proxy.firings()).containsExactly(new Firing(delay.fault(), 1, TO_CLIENT, 0));
    }

    @Test
    void liftingADelayLetsTheChunkGo() throws Exception {
        Socket client = connect();
        Injection delay = proxy.inject(new Fault.Delay(TO_SERVER, AN_HOUR, Duration.ZERO));

        send(client, "held");
        assertFired(delay);
        assertThat(server.received(1)).isEmpty();
        delay.lift();

        assertThat(line(client)).isEqualTo("held");
        assertThat(ask(client, "free")).isEqualTo("free");
        assertThat(delay.firings()).isEqualTo(1);
    }

    @Test
    void dropAfterBytesCutsTheReplyAndResetsBothSides() throws Exception {
        Socket client = connect();
        assertThat(ask(client, "before")).isEqualTo("before");
        Injection drop = proxy.inject(new Fault.DropAfterBytes(TO_CLIENT, 3, Duration.ZERO));

        send(client, "commit");

        assertThat(client.getInputStream().readNBytes(3)).isEqualTo("com".getBytes(UTF_8));
        assertReset(client);
        eventuallyReset(1);
        assertThat(server.received(1)).isEqualTo("before\ncommit\n");
        assertThat(proxy.firings()).containsExactly(new Firing(drop.fault(), 1, TO_CLIENT, 7));
    }

    @Test
    void dropAfterBytesCutsTheRequestAndKeepsTheConnectionForItsHold() throws Exception {
        Socket client = connect();
        Injection drop = proxy.inject(new Fault.DropAfterBytes(TO_SERVER, 5, AN_HOUR));

        assertThat(ask(client, "four")).isEqualTo("four");
        assertThat(drop.firings()).isZero();
        send(client, "lost");
        assertFired(drop);
        send(client, "lost too");
        assertSilent(client);
        assertThat(server.ending(1)).isEqualTo("open");
        drop.lift();

        assertReset(client);
        eventuallyReset(1);
        assertThat(server.received(1)).isEqualTo("four\n");
    }

    @Test
    void loseReplyLetsTheServerActAndTheClientGuess() throws Exception {
        Socket client = connect();
        Injection loss = proxy.injectOnce(new Fault.LoseReply(2));

        assertThat(ask(client, "begin")).isEqualTo("begin");
        send(client, "commit");

        assertReset(client);
        eventuallyReset(1);
        assertThat(server.received(1)).isEqualTo("begin\ncommit\n");
        assertThat(proxy.firings()).containsExactly(new Firing(loss.fault(), 1, TO_CLIENT, 6));

        Socket again = connect();
        assertThat(ask(again, "begin")).isEqualTo("begin");
        assertThat(ask(again, "commit")).isEqualTo("commit");
    }

    @Test
    void liftingLoseReplyInTimeSavesTheReply() throws Exception {
        Socket client = connect();
        Injection loss = proxy.inject(new Fault.LoseReply(1));
        Injection delay = proxy.inject(new Fault.Delay(TO_SERVER, AN_HOUR, Duration.ZERO));

        send(client, "saved");
        assertFired(delay);
        proxy.heal();

        assertThat(line(client)).isEqualTo("saved");
        assertThat(loss.firings()).isZero();
    }

    @Test
    void stallHoldsBothWaysOnOldAndNewConnectionsUntilLifted() throws Exception {
        Socket old = connect();
        assertThat(ask(old, "before")).isEqualTo("before");
        Injection partition = proxy.inject(Fault.Stall.both());

        Socket fresh = connect();
        send(old, "old");
        send(fresh, "fresh");
        eventually(() -> partition.firings() == 2);
        assertSilent(old);
        assertThat(server.received(1)).isEqualTo("before\n");
        assertThat(server.received(2)).isEmpty();
        partition.lift();

        assertThat(line(old)).isEqualTo("old");
        assertThat(line(fresh)).isEqualTo("fresh");
    }

    @Test
    void stallOfRepliesLetsRequestsThrough() throws Exception {
        Socket client = connect();
        Injection stall = proxy.inject(Fault.Stall.of(TO_CLIENT));

        send(client, "one");
        assertFired(stall);
        send(client, "two");
        eventually(() -> server.received(1).equals("one\ntwo\n"));
        assertSilent(client);
        proxy.heal();

        assertThat(line(client)).isEqualTo("one");
        assertThat(line(client)).isEqualTo("two");
    }

    @Test
    void stallHidesTheEndOfAClient() throws Exception {
        Socket client = connect();
        assertThat(ask(client, "here")).isEqualTo("here");
        Injection stall = proxy.inject(Fault.Stall.of(TO_SERVER));

        client.close();
        assertFired(stall);
        assertThat(server.ending(1)).isEqualTo("open");
        stall.lift();

        eventually(() -> server.ending(1).equals("end of stream"));
    }

    @Test
    void freezeSilencesTheConnectionOfTheRequestWithTheTextOnly() throws Exception {
        Socket client = connect();
        Socket other = connect();
        Injection freeze = proxy.injectOnce(new Fault.Freeze("COMMIT"));

        assertThat(ask(client, "a")).isEqualTo("a");
        send(client, "COMMIT");
        assertFired(freeze);
        assertSilent(client);
        assertThat(ask(other, "COMMIT")).isEqualTo("COMMIT");
        freeze.lift();

        assertThat(line(client)).isEqualTo("COMMIT");
    }

    @Test
    void resetIsSeenOnBothSidesInPlaceOfTheChunk() throws Exception {
        Socket client = connect();
        assertThat(ask(client, "before")).isEqualTo("before");
        Injection reset = proxy.injectOnce(new Fault.Reset(TO_SERVER));

        send(client, "gone");

        assertReset(client);
        eventuallyReset(1);
        assertThat(server.received(1)).isEqualTo("before\n");
        assertThat(proxy.firings()).containsExactly(new Firing(reset.fault(), 1, TO_SERVER, 7));
        assertThat(ask(connect(), "after")).isEqualTo("after");
    }

    @Test
    void resetAllReachesIdleConnections() throws Exception {
        Socket first = connect();
        Socket second = connect();
        ask(first, "idle");
        ask(second, "idle");

        assertThat(proxy.resetAll()).isEqualTo(2);

        assertReset(first);
        assertReset(second);
        eventuallyReset(1);
        eventuallyReset(2);
    }

    @Test
    void replayOnTheSameConnectionRepeatsTheRequest() throws Exception {
        Socket client = connect();
        Injection replay = proxy.injectOnce(new Fault.Replay(SAME_CONNECTION, Duration.ZERO));

        send(client, "twice");

        assertThat(line(client)).isEqualTo("twice");
        assertThat(line(client)).isEqualTo("twice");
        assertThat(ask(client, "once")).isEqualTo("once");
        assertThat(server.received(1)).isEqualTo("twice\ntwice\nonce\n");
        assertThat(proxy.firings()).containsExactly(new Firing(replay.fault(), 1, TO_SERVER, 0));
    }

    @Test
    void replayOnANewConnectionComesLateAndUnseenByTheClient() throws Exception {
        Socket client = connect();
        Injection replay = proxy.injectOnce(new Fault.Replay(NEW_CONNECTION, AN_HOUR));

        assertThat(ask(client, "acquire")).isEqualTo("acquire");
        assertThat(ask(client, "release")).isEqualTo("release");
        assertThat(replay.awaitFiring(Duration.ofMillis(30))).isFalse();
        assertThat(server.connections()).isEqualTo(1);
        replay.lift();

        assertFired(replay);
        assertThat(server.received(2)).isEqualTo("acquire\n");
        assertThat(ask(client, "next")).isEqualTo("next");
    }

    @Test
    void replayOnANewConnectionGreetsFirst() throws Exception {
        Socket client = connect();
        Injection replay = proxy.injectOnce(new Fault.Replay(NEW_CONNECTION, Duration.ZERO, "password\n"));

        assertThat(ask(client, "acquire")).isEqualTo("acquire");

        assertFired(replay);
        assertThat(server.received(2)).isEqualTo("password\nacquire\n");
    }

    @Test
    void refuseConnectionsTurnsAwayOnlyNewOnes() throws Exception {
        Socket old = connect();
        assertThat(ask(old, "in")).isEqualTo("in");
        Injection refusal = proxy.inject(new Fault.RefuseConnections());

        assertTurnedAway();
        assertThat(ask(old, "still in")).isEqualTo("still in");
        assertThat(server.connections()).isEqualTo(1);
        assertThat(proxy.firings()).containsExactly(new Firing(refusal.fault(), 2, TO_SERVER, 0));
        proxy.heal();

        assertThat(ask(connect(), "in again")).isEqualTo("in again");
        assertThat(proxy.connections()).isEqualTo(3);
    }

    @Test
    void connectionsFollowTheServerToItsNewAddress() throws Exception {
        Socket client = connect();
        assertThat(ask(client, "old server")).isEqualTo("old server");
        server.close();
        assertThat(client.getInputStream().read()).isEqualTo(-1);
        try (Socket nobody = new Socket()) {
            // Bound, so that nobody else is given the port; and nobody listens there.
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            proxy.retarget((InetSocketAddress) nobody.getLocalSocketAddress());
            assertTurnedAway();
        }

        server = new EchoServer();
        proxy.retarget(server.address());

        assertThat(ask(connect(), "new server")).isEqualTo("new server");
    }

    @Test
    void sameSeedAndSameTrafficGiveTheSameFirings() throws Exception {
        List<Firing> firings = firingsOf(7);

        assertThat(firings).as("seed 7").hasSizeBetween(30, 130).isEqualTo(firingsOf(7));
        assertThat(firings).extracting(Firing::connection).contains(1, 2);
        assertThat(firings).extracting(Firing::direction).contains(TO_SERVER, TO_CLIENT);
        assertThat(firingsOf(8)).isNotEqualTo(firings);
    }

    private List<Firing> firingsOf(long seed) throws IOException {
        try (FaultProxy seeded = FaultProxy.to(server.address(), seed)) {
            seeded.inject(new Fault.Delay(TO_SERVER, Duration.ZERO, Duration.ofNanos(1000)), 0.2);
            seeded.inject(new Fault.Delay(TO_CLIENT, Duration.ZERO, Duration.ZERO), 0.2);
            Socket first = connect(seeded);
            ask(first, "hello");
            Socket second = connect(seeded);
            for (int i = 0; i < 100; i++) {
                ask(first, "line " + i);
                ask(second, "line " + i);
            }
            return seeded.firings();
        }
    }

    @Test
    void closeEndsEveryThreadAndResetsEveryConnection() throws Exception {
        Socket idle = connect();
        ask(idle, "idle");
        proxy.injectOnce(new Fault.Replay(NEW_CONNECTION, AN_HOUR));
        ask(idle, "copied an hour from now");
        Injection stall = proxy.inject(Fault.Stall.both());
        Socket stalled = connect();
        send(stalled, "held");
        assertFired(stall);
        assertThat(threads()).hasSize(6);

        proxy.close();

        assertThat(threads()).isEmpty();
        assertReset(idle);
        assertReset(stalled);
        assertThatExceptionOfType(IOException.class).isThrownBy(this::connect);
        assertThat(proxy.firings()).hasSize(1);
    }

    @Test
    void closeDoesNotWaitForAClientThatDoesNotRead() throws Exception {
        Socket client = connect();
        CompletableFuture<Void> flood = CompletableFuture.runAsync(() -> {
            try {
                while (true) {
                    client.getOutputStream().write(new byte[1 << 16]);
                }
            } catch (IOException e) {
                // The proxy has closed, which is what ends this.
            }
        });
        eventually(() -> server.received(1).length() > 1 << 18);

        proxy.close();

        flood.get(10, TimeUnit.SECONDS);
        assertThat(threads()).isEmpty();
    }

    @Test
    void listensOnLoopbackOnly() throws Exception {
        assertThat(proxy.address().getAddress().isLoopbackAddress()).isTrue();
        for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : network.inetAddresses().toList()) {
                if (!address.isLoopbackAddress()) {
                    try (ServerSocket free = new ServerSocket(proxy.port(), 1, address)) {
                        assertThat(free.isBound()).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void namesItsSeedAndItsFaults() {
        proxy.inject(new Fault.Reset(TO_CLIENT));

        assertThat(proxy.toString()).contains("seed " + SEED).contains("Reset[direction=TO_CLIENT]");
    }

    @Test
    void impossibleFaultsAreRefused() {
        Duration negative = Duration.ofMillis(-1);
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Delay(TO_CLIENT, negative, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.DropAfterBytes(TO_CLIENT, -1, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.LoseReply(0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Stall(Set.of()));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Freeze(""));
        assertThatIllegalArgumentException().isThrownBy(() -> new Fault.Replay(SAME_CONNECTION, negative));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.inject(Fault.Stall.both(), 0));
        assertThatIllegalArgumentException().isThrownBy(() -> proxy.inject(Fault.Stall.both(), 1.1));
    }

    private Socket connect() throws IOException {
        return connect(proxy);
    }

    private Socket connect(FaultProxy through) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.connect(through.address());
        return socket;
    }

    private static void send(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(UTF_8));
    }

    private static String line(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = socket.getInputStream().read();
                b != '\n';
                b = socket.getInputStream().read()) {
            if (b < 0) {
                throw new IOException("stream ended after: " + line);
            }
            line.append((char) b);
        }
        return line.toString();
    }

    private static String ask(Socket socket, String line) throws IOException {
        send(socket, line);
        return line(socket);
    }

    private void assertFired(Injection injection) throws InterruptedException {
        assertThat(injection.awaitFiring(PATIENCE)).as(proxy.toString()).isTrue();
    }

    private static void assertReset(Socket socket) {
        assertThatExceptionOfType(SocketException.class)
                .isThrownBy(() -> socket.getInputStream().read())
                .withMessageContaining("reset");
    }

    /** The reset may come before the client knows that it is connected. */
    private void assertTurnedAway() {
        assertThatExceptionOfType(SocketException.class)
                .isThrownBy(() -> connect().getInputStream().read())
                .withMessageContaining("reset");
    }

    private void eventuallyReset(int connection) {
        eventually(() -> server.ending(connection).contains("reset"));
    }

    private static void assertSilent(Socket socket) throws IOException {
        socket.setSoTimeout(30);
        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> socket.getInputStream().read());
        socket.setSoTimeout((int) PATIENCE.toMillis());
    }

    private void eventually(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(proxy.toString()).isLessThan(PATIENCE.toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }

    private List<String> threads() {
        String prefix = "fault-proxy-" + proxy.port() + "-";
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }
}
