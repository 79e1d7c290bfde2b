package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Resolution;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.RunView;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.once.Work;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Payload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs whose callbacks do what they must not: they throw errors, return null, interrupt their thread, close the client
 * or start the same run again. However such a run ends, it ends: its lease is not renewed for ever, and another caller
 * can run.
 */
final class HostileRuns {
    /** How long a lease may still be held after its run has ended, as a multiple of its TTL. */
    private static final int LONGEST_TTLS = 3;

    private static final int LOOKS_PER_TTL = 10;

    /** No case here has an answer worth more than its error's text, which is cut. */
    private static final int MOST_KEPT_BYTES = 16_384;

    private HostileRuns() {}

    /** What a callback can reach. */
    record Scene(Leases client, Key key, RunSpec<String> spec) {
        Once<String> once() {
            return Once.on(client, key, spec);
        }
    }

    /**
     * One way to be hostile.
     *
     * @param spec changes a decent spec
     * @param thrown what the caller must be thrown; {@code null} if the case does not say
     */
    record Case(
            String name,
            Function<Scene, RunSpec<String>> spec,
            Function<Scene, Work<String>> work,
            @Nullable Class<? extends Throwable> thrown) {
        Case throwing(Class<? extends Throwable> type) {
            return new Case(name, spec, work, type);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** What is under test: does work once, and gives the outcome or throws. */
    interface Runner {
        Outcome<String> run(Scene scene, Work<String> work) throws Throwable;
    }

    /** Lets time pass for the clients and for the store. */
    interface Passing {
        void elapse(Duration time) throws Exception;
    }

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        addWork(cases);
        addErrors(cases);
        addCodecs(cases);
        addPolicies(cases);
        return cases;
    }

    private static void addWork(List<Case> cases) {
        cases.add(work("work returns null", scene -> run -> null));
        cases.add(failing("work throws an exception", () -> new IOException("hostile"))
                .throwing(IOException.class));
        cases.add(failing("work throws an Error", () -> new LinkageError("hostile"))
                .throwing(LinkageError.class));
        cases.add(failing("work overflows the stack", StackOverflowError::new).throwing(StackOverflowError.class));
        cases.add(work("work interrupts its thread", scene -> run -> {
            Thread.currentThread().interrupt();
            return "interrupted";
        }));
        cases.add(work("work interrupts its thread and throws", scene -> run -> {
                    Thread.currentThread().interrupt();
                    throw new IOException("hostile");
                })
                .throwing(IOException.class));
        cases.add(work("work closes the client", scene -> run -> {
            scene.client().close();
            return "closed";
        }));
        cases.add(work("work closes the client and throws", scene -> run -> {
                    scene.client().close();
                    throw new IOException("hostile");
                })
                .throwing(IOException.class));
        cases.add(work("work runs itself again", scene -> run -> {
            Outcome<String> inner = scene.once().run(again -> "inner");
            assertThat(inner).isInstanceOf(Outcome.InProgress.class);
            return "outer";
        }));
        cases.add(work("work gives its own lease back", scene -> run -> {
            run.lease().release();
            return "released";
        }));
        cases.add(work("work asks to record and throws", scene -> run -> {
                    assertThat(run.settling("unrecorded").lease()).isEqualTo(run.ref());
                    throw new IOException("hostile");
                })
                .throwing(IOException.class));
    }

    private static void addErrors(List<Case> cases) {
        for (Verdict verdict : Verdict.values()) {
            FailurePolicy policy = (error, attempt) -> verdict;
            String judged = ", judged " + verdict;
            cases.add(judged("toString throws" + judged, policy, () -> new Speechless(Speechless.Way.THROWS)));
            cases.add(judged("toString throws an Error" + judged, policy, () -> new Speechless(Speechless.Way.DIES)));
            cases.add(judged("toString returns null" + judged, policy, () -> new Speechless(Speechless.Way.IS_NULL)));
            cases.add(judged("an Error cannot describe itself" + judged, policy, HostileRuns::speechlessError));
            cases.add(judged("the message is huge" + judged, policy, () -> new IOException("漢".repeat(1 << 20))));
        }
        cases.add(new Case(
                "the last attempt's error cannot describe itself",
                scene -> scene.spec().withMaxAttempts(1),
                scene -> thrower(() -> new Speechless(Speechless.Way.THROWS)),
                Speechless.class));
        cases.add(failing(
                "a failure for good has a huge code and message",
                () -> new TerminalException(Failure.of("c".repeat(1 << 20), "m".repeat(1 << 20)))));
    }

    private static void addCodecs(List<Case> cases) {
        cases.add(codec("codec throws an exception", scene -> {
            throw new IOException("hostile");
        }));
        cases.add(codec("codec throws an exception that cannot describe itself", scene -> {
            throw new Speechless(Speechless.Way.THROWS);
        }));
        cases.add(codec("codec throws an Error", scene -> {
                    throw new LinkageError("hostile");
                })
                .throwing(LinkageError.class));
        cases.add(codec("codec throws an Error that cannot describe itself", scene -> {
                    throw speechlessError();
                })
                .throwing(Error.class));
        cases.add(codec("codec overflows the stack", scene -> {
            throw new StackOverflowError();
        }));
        cases.add(codec("codec returns null", scene -> null));
        cases.add(codec("codec interrupts its thread", scene -> {
            Thread.currentThread().interrupt();
            return new byte[0];
        }));
        cases.add(codec("codec closes the client", scene -> {
            scene.client().close();
            return new byte[0];
        }));
        cases.add(codec("codec runs the work again", scene -> {
            scene.once().run(again -> "inner");
            return new byte[0];
        }));
    }

    private static void addPolicies(List<Case> cases) {
        cases.add(policy("policy returns null", (scene, error) -> null));
        cases.add(policy("policy throws an exception", (scene, error) -> {
            throw new IllegalStateException("hostile");
        }));
        cases.add(policy("policy throws the error itself", (scene, error) -> {
            throw (IllegalArgumentException) error;
        }));
        cases.add(policy("policy throws an exception that cannot describe itself", (scene, error) -> {
            throw new Speechless(Speechless.Way.THROWS);
        }));
        cases.add(policy("policy throws an Error", (scene, error) -> {
                    throw new LinkageError("hostile");
                })
                .throwing(LinkageError.class));
        cases.add(policy("policy interrupts its thread", (scene, error) -> {
            Thread.currentThread().interrupt();
            return Verdict.TERMINAL;
        }));
        cases.add(policy("policy closes the client", (scene, error) -> {
            scene.client().close();
            return Verdict.TERMINAL;
        }));
        cases.add(policy("policy runs the work again", (scene, error) -> {
            try {
                scene.once().run(again -> "inner");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return Verdict.CLEAR;
        }));
    }

    private static Case work(String name, Function<Scene, Work<String>> work) {
        return new Case(name, Scene::spec, work, null);
    }

    private static Case failing(String name, Supplier<Throwable> error) {
        return work(name, scene -> thrower(error));
    }

    private static Case judged(String name, FailurePolicy policy, Supplier<Throwable> error) {
        return new Case(name, scene -> scene.spec().withFailurePolicy(policy), scene -> thrower(error), null);
    }

    private static Work<String> thrower(Supplier<Throwable> error) {
        return run -> {
            Throwable thrown = error.get();
            if (thrown instanceof Error fatal) {
                throw fatal;
            }
            throw (Exception) thrown;
        };
    }

    /** Encodes in a hostile way. */
    private interface Encoding {
        byte @Nullable [] encode(Scene scene) throws Exception;
    }

    @SuppressWarnings("NullAway") // A codec must not return null; this one may.
    private static Case codec(String name, Encoding encoding) {
        Function<Scene, RunSpec<String>> spec = scene -> {
            Codec<String> hostile = new Codec<>() {
                @Override
                public byte[] encode(String value) throws Exception {
                    return encoding.encode(scene);
                }

                @Override
                public String decode(byte[] bytes) {
                    return "decoded";
                }
            };
            return RunSpec.of(hostile).withLeaseTtl(scene.spec().leaseTtl());
        };
        return new Case(name, spec, scene -> run -> "value", null);
    }

    /** Judges in a hostile way. */
    private interface Judgement {
        @Nullable
        Verdict judge(Scene scene, Throwable error);
    }

    @SuppressWarnings("NullAway") // A policy must not return null; this one may.
    private static Case policy(String name, Judgement judgement) {
        return new Case(
                name,
                scene -> scene.spec().withFailurePolicy((error, attempt) -> judgement.judge(scene, error)),
                scene -> thrower(() -> new IllegalArgumentException("the work's")),
                null);
    }

    /** An exception that cannot say what it is. */
    static final class Speechless extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** What becomes of those who ask. */
        enum Way {
            THROWS,
            DIES,
            IS_NULL
        }

        private final Way way;

        Speechless(Way way) {
            this.way = way;
        }

        @Override
        public String getMessage() {
            return say();
        }

        @Override
        public String toString() {
            return say();
        }

        @SuppressWarnings("NullAway") // On purpose.
        private String say() {
            return switch (way) {
                case THROWS -> throw new IllegalStateException("no text");
                case DIES -> throw new LinkageError("no text");
                case IS_NULL -> null;
            };
        }
    }

    static Error speechlessError() {
        return new Error() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException("no text");
            }

            @Override
            public String toString() {
                throw new IllegalStateException("no text");
            }
        };
    }

    /**
     * Puts a runner through a case: the call ends, the caller is thrown what it must be, nothing stays held for longer
     * than its TTL, and another client can run.
     *
     * @param client is closed by some cases
     */
    static void check(Case hostile, Runner runner, Leases client, Leases other, Passing passing, Duration ttl)
            throws Exception {
        Key key = Key.of("hostile", hostile.name(), other.newNonce().name());
        RunSpec<String> decent = RunSpec.of(Codec.utf8()).withLeaseTtl(ttl);
        RunSpec<String> spec = hostile.spec().apply(new Scene(client, key, decent));
        Scene scene = new Scene(client, key, spec);
        Throwable thrown = null;
        try {
            assertThat(runner.run(scene, hostile.work().apply(scene))).isNotNull();
        } catch (Throwable e) {
            thrown = e;
        } finally {
            Thread.interrupted(); // What a callback left behind must not hit the rest of the test.
        }
        Class<? extends Throwable> expected = hostile.thrown();
        if (expected != null) {
            // Not by assertThat of the error itself, which would ask it to describe itself.
            assertThat(expected.isInstance(thrown))
                    .as("the caller is thrown %s", expected)
                    .isTrue();
        }
        assertOthersCanRun(key, Once.on(other, key, decent), other.store(), passing, ttl);
    }

    /** That the run has ended, and is run again once its answer is forgotten or its hold is resolved. */
    static void assertOthersCanRun(Key key, Once<String> next, LeaseStore store, Passing passing, Duration ttl)
            throws Exception {
        for (int look = 0; look < LONGEST_TTLS * LOOKS_PER_TTL && isHeld(store, key); look++) {
            passing.elapse(ttl.dividedBy(LOOKS_PER_TTL));
        }
        assertThat(isHeld(store, key))
                .as("still held after %d TTLs", LONGEST_TTLS)
                .isFalse();
        RunView.Standing standing =
                store.find(key).map(found -> standing(found)).orElse(RunView.Standing.ABSENT);
        store.find(key).ifPresent(found -> {
            Payload kept = found.record().progress().payload();
            assertThat(kept == null ? 0 : kept.size()).as("bytes that are kept").isLessThan(MOST_KEPT_BYTES);
            if (standing == RunView.Standing.ON_HOLD) {
                assertThat(next.resolve(found.record().fence(), Resolution.cleared()))
                        .isTrue();
            } else if (standing == RunView.Standing.DONE || standing == RunView.Standing.FAILED) {
                assertThat(next.forget(found.record().fence())).isTrue();
            }
        });
        assertThat(next.run(run -> "another caller's"))
                .as("after a run that ended %s", standing)
                .isInstanceOf(Outcome.Ran.class);
    }

    private static boolean isHeld(LeaseStore store, Key key) {
        return store.find(key).map(LeaseSnapshot::isHeld).orElse(false);
    }

    private static RunView.Standing standing(LeaseSnapshot found) {
        return switch (found.record().state()) {
            case FREE -> RunView.Standing.CLEARED;
            case HELD -> RunView.Standing.STALE;
            case DONE -> RunView.Standing.DONE;
            case FAILED -> RunView.Standing.FAILED;
            case HOLD -> RunView.Standing.ON_HOLD;
        };
    }
}
