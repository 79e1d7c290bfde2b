package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.faults.FaultCase.Injected;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What can happen to the workers' processes and their clocks. */
final class ProcessFaults {
    private static final int KILLED = 128 + 9;

    private ProcessFaults() {}

    static Injected kill(Scene scene) throws Exception {
        int killed = 0;
        for (Member victim : scene.victims()) {
            killed += scene.crew().kill(victim) == KILLED ? 1 : 0;
        }
        int count = killed;
        return () -> {
            scene.crew().replaceDead();
            return new Evidence(count, "processes that held a lease ended with code " + KILLED);
        };
    }

    static Injected stop(Scene scene) throws Exception {
        return stop(scene, false);
    }

    /** The monotonic clock does not count the time in which the process stands still, as on a machine that sleeps. */
    static Injected suspend(Scene scene) throws Exception {
        return stop(scene, true);
    }

    private static Injected stop(Scene scene, boolean hides) throws Exception {
        List<Long> since = new ArrayList<>();
        for (Member victim : scene.victims()) {
            victim.stop();
            since.add(System.nanoTime());
        }
        return () -> {
            int stopped = 0;
            for (int i = 0; i < since.size(); i++) {
                Member victim = scene.victims().get(i);
                stopped += victim.process().isStopped() ? 1 : 0;
                if (hides) {
                    victim.clocks().hide(System.nanoTime() - since.get(i));
                }
                victim.resume();
            }
            return new Evidence(stopped, "processes that held a lease were in state T to the end");
        };
    }

    static FaultCase.Injector wallClock(Duration by) {
        return scene -> {
            long micros = TimeUnit.SECONDS.toMicros(by.toSeconds());
            List<Member> half = scene.crew().members().subList(0, Crew.SIZE / 2);
            int moved = 0;
            for (Member member : half) {
                member.clocks().setWallMicros(micros);
                long shown = Long.parseLong(member.ask("clock", "clock"));
                long off = shown - System.currentTimeMillis() * 1_000;
                moved += Math.abs(off - micros) < TimeUnit.SECONDS.toMicros(60) ? 1 : 0;
            }
            int count = moved;
            return () -> {
                half.forEach(member -> member.clocks().setWallMicros(0));
                return new Evidence(count, "workers saw their wall clock off by " + by);
            };
        };
    }

    /** No file of theirs can be written, as on a disk that is full: the limit on the size of files is set to nothing. */
    static Injected fillDisk(Scene scene) throws Exception {
        int limited = 0;
        for (Member member : scene.crew().members()) {
            limited += FileLimit.NOTHING.set(member.process().pid()) ? 1 : 0;
        }
        int count = limited;
        return () -> {
            for (Member member : scene.crew().members()) {
                FileLimit.NONE.set(member.process().pid());
            }
            return new Evidence(count, "workers could write no file (RLIMIT_FSIZE 0)");
        };
    }

    static Injected loseReplies(Scene scene) throws Exception {
        return trouble(scene.crew().members(), "lost", "replies were lost in the workers");
    }

    static Injected repeatRequests(Scene scene) throws Exception {
        return trouble(scene.crew().members(), "twice", "requests were carried out twice");
    }

    static Injected delayRequests(Scene scene) throws Exception {
        return trouble(scene.crew().members(), "late", "requests were carried out when their callers had asked again");
    }

    /** Not for all workers: the others are there to take what these are too late to keep. */
    static FaultCase.Injector slowReplies(Duration by) {
        return scene -> trouble(
                scene.crew().members().subList(0, Crew.SIZE * 3 / 4),
                "slow " + by.toMillis(),
                "replies came " + by.toMillis() + " ms late, to three workers of four");
    }

    private static Injected trouble(List<Member> members, String what, String seen) throws InterruptedException {
        int before = 0;
        for (Member member : members) {
            before += Integer.parseInt(member.ask("trouble " + what, "troubled"));
        }
        int earlier = before;
        return () -> {
            int struck = -earlier;
            for (Member member : members) {
                struck += Integer.parseInt(member.ask("trouble over", "troubled"));
            }
            return new Evidence(struck, seen);
        };
    }
}
