package dev.leasehold.faults;

import dev.leasehold.servers.Trees;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * One fault on one store: the workers work, the fault strikes while two of them hold a lease and keep it, the fault is
 * healed, everyone must have a turn, and the history is judged.
 */
final class Cell {
    private static final Duration WARM_UP = Duration.ofMillis(700);
    private static final Duration CALM = Duration.ofMillis(500);
    /** Two TTLs are promised; then the workers come one after another, and each looks every 0.2 s at least. */
    private static final Duration LONGEST_RECOVERY =
            Shift.TTL.multipliedBy(2).plus(Duration.ofMillis(200).multipliedBy(Crew.SIZE));

    private static final int VICTIMS = 2;

    private final Bed bed;
    private final Crew crew;
    private final FencedResource resource;
    private final Path home;

    Cell(Bed bed, Crew crew, FencedResource resource, Path home) {
        this.bed = bed;
        this.crew = crew;
        this.resource = resource;
        this.home = home;
    }

    /**
     * What happened.
     *
     * @param turns when each worker had its first lease after the fault was healed
     * @param pressurePercent for how much of that time somebody waited for a CPU
     * @param latestMillis how late a thread that only slept was woken meanwhile, at worst
     * @param failures what went wrong with the workers
     * @param injected what is left of the fault
     */
    record Played(
            FaultCase.Evidence evidence,
            long healed,
            List<Optional<Long>> turns,
            int pressurePercent,
            long latestMillis,
            List<String> failures,
            List<History> histories,
            FaultCase.Injected injected) {
        /** How long the last worker waited. */
        long recoveryMillis() {
            return turns.stream()
                    .mapToLong(turn -> turn.map(at -> TimeUnit.NANOSECONDS.toMillis(at - healed))
                            .orElse(LONGEST_RECOVERY.toMillis()))
                    .max()
                    .orElseThrow();
        }
    }

    /** @param number another one for each cell of a store */
    CellReport run(FaultCase fault, int number, long seed) throws Exception {
        String prefix = "c" + number;
        Path directory = Files.createDirectories(home.resolve(number + "-" + fault.name()));
        Played played = play(fault, prefix, seed, directory);
        List<String> findings = new ArrayList<>();
        played.failures().forEach(failure -> findings.add("G3: " + failure));
        findings.addAll(missing(played));
        findings.addAll(Epilogue.run(bed, prefix, directory.resolve("epilogue.jsonl")));
        played.injected().end();
        List<History> histories = new ArrayList<>(played.histories());
        histories.add(History.readFrom(directory.resolve("epilogue.jsonl")));
        return report(fault, seed, played, History.merged(histories), findings, directory);
    }

    /** Lets it happen, without a judgement. */
    Played play(FaultCase fault, String prefix, long seed, Path directory) throws Exception {
        resource.takeHistory();
        fault.injector().prepare(bed);
        crew.begin(prefix, seed, directory);
        pause(WARM_UP);
        List<Member> victims = crew.cling(VICTIMS);
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        FaultCase.Injected injected = fault.injector().inject(new Scene(bed, crew, prefix, victims, random));
        pause(fault.lasts());
        FaultCase.Evidence evidence = injected.heal();
        long healed = System.nanoTime();
        crew.calm();
        List<Optional<Long>> turns;
        int percent;
        long latestMillis;
        try (Pressure pressure = new Pressure()) {
            turns = crew.turns(healed + LONGEST_RECOVERY.toNanos());
            percent = pressure.percent();
            latestMillis = pressure.latestMillis();
        }
        pause(CALM);
        List<String> failures = crew.end();
        List<History> histories = new ArrayList<>(crew.histories());
        histories.add(resource.takeHistory());
        return new Played(evidence, healed, turns, percent, latestMillis, failures, histories, injected);
    }

    private List<String> missing(Played played) {
        List<String> missing = new ArrayList<>();
        for (int i = 0; i < played.turns().size(); i++) {
            if (played.turns().get(i).isEmpty()) {
                missing.add("G4: " + crew.members().get(i).name() + " had no lease within "
                        + LONGEST_RECOVERY.toMillis() + " ms after the fault; somebody waited for a CPU for "
                        + played.pressurePercent() + " % of that time, and a sleeping thread was woken up to "
                        + played.latestMillis() + " ms late");
            }
        }
        return missing;
    }

    private CellReport report(
            FaultCase fault, long seed, Played played, History history, List<String> others, Path directory)
            throws IOException {
        FaultCase.Evidence evidence = played.evidence();
        Verdict verdict = new Verdict(fault, history);
        List<String> findings = new ArrayList<>(verdict.findings(evidence));
        findings.addAll(others);
        Path merged = directory.resolve("merged.jsonl");
        if (findings.isEmpty()) {
            Trees.delete(directory);
        } else {
            history.writeTo(merged);
        }
        return new CellReport(
                bed.kind().toString(),
                fault.name(),
                seed,
                evidence.count(),
                evidence.what(),
                verdict.operations(),
                verdict.count(Kind.ACQUIRED),
                verdict.count(Kind.REFUSED),
                verdict.count(Kind.LOST),
                verdict.count(Kind.UNKNOWN),
                verdict.count(Kind.STALE_EFFECT),
                verdict.count(Kind.ANSWERED),
                verdict.broken("S1"),
                verdict.broken("S2", "S3"),
                played.recoveryMillis(),
                played.pressurePercent(),
                findings,
                findings.isEmpty() ? "" : merged.toString());
    }

    private static void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
