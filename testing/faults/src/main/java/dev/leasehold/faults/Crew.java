package dev.leasehold.faults;

import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The workers of one store. They outlive cells, for starting a process takes longer than most faults last; those that
 * are killed are replaced. Confined to one thread.
 */
final class Crew implements AutoCloseable {
    static final int SIZE = 8;

    private static final int SPARED = 2;

    private static final Duration LONGEST_END = Duration.ofSeconds(30);

    private final Path home;
    private final Hiring hiring;
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private int started;
    private Assignment assignment = new Assignment("", 0, Path.of(""));
    private String bug = "";
    private final List<Path> histories = new ArrayList<>();
    private final History deaths = new History();

    /** What the crew works on at present. */
    private record Assignment(String prefix, long seed, Path directory) {}

    /** Starts the process of the worker with a number from 0 on, whose clocks are in that file. */
    interface Hiring {
        ChildJvm hire(int number, Path clocks) throws IOException;
    }

    private Crew(Path home, Hiring hiring) {
        this.home = home;
        this.hiring = hiring;
    }

    /** Whether faults of the network pass this one by. */
    static boolean isSpared(int number) {
        return number >= SIZE - SPARED;
    }

    /** Starts all workers. */
    static Crew start(Path home, Hiring hiring) throws IOException, InterruptedException {
        Crew crew = new Crew(home, hiring);
        // A worker that is stopped would not notice that nobody needs it any more.
        Runtime.getRuntime().addShutdownHook(new Thread(crew::close));
        long now = System.nanoTime();
        for (int i = 0; i < SIZE; i++) {
            crew.members.add(crew.startMember(i));
        }
        for (Member member : crew.members) {
            member.awaitReady(now);
        }
        return crew;
    }

    private Member startMember(int number) throws IOException {
        String name = "w" + ++started;
        Path clocks = home.resolve(name + ".clocks");
        Clocks shared = new Clocks(clocks);
        return Member.of(name, hiring.hire(number, clocks), shared);
    }

    List<Member> members() {
        return List.copyOf(members);
    }

    /** From the next beginning, all have this bug, which is named by its class; none if that is empty. */
    void plant(String sabotage) {
        bug = sabotage;
    }

    /** All begin to work on the keys under the prefix, and write their histories into the directory. */
    void begin(String prefix, long seed, Path directory) throws InterruptedException {
        assignment = new Assignment(prefix, seed, directory);
        histories.clear();
        deaths.events().clear();
        for (int number = 0; number < SIZE; number++) {
            begin(number);
        }
    }

    private void begin(int number) throws InterruptedException {
        Member member = members.get(number);
        Path history = assignment.directory.resolve(member.name() + ".jsonl");
        histories.add(history);
        member.ask(
                "begin " + number + " " + member.name() + " " + assignment.prefix + " " + assignment.seed + " "
                        + history + " " + bug,
                "begun");
    }

    /** The first so many workers each take a key and keep it. */
    List<Member> cling(int count) throws InterruptedException {
        List<Member> clinging = members.subList(0, count);
        for (int key = 0; key < count; key++) {
            clinging.get(key).say("cling " + key);
        }
        for (Member member : clinging) {
            member.expect("clinging");
        }
        return List.copyOf(clinging);
    }

    /** Kills a worker and says with what code it ended. */
    int kill(Member member) throws InterruptedException {
        // Twice: what it noted between signal and death must not outlive it, and it is dead from then on.
        noteDeath(member);
        int code = member.kill();
        noteDeath(member);
        return code;
    }

    private void noteDeath(Member member) {
        for (int key = 0; key < Shift.KEYS; key++) {
            deaths.add(new HistoryEvent(
                    System.nanoTime(),
                    Kind.CRASHED,
                    member.name(),
                    Shift.key(assignment.prefix, key).value(),
                    "",
                    0,
                    0));
        }
    }

    /** Starts another worker in the place of each that is dead. */
    void replaceDead() throws IOException, InterruptedException {
        long now = System.nanoTime();
        List<Integer> replaced = new ArrayList<>();
        for (int number = 0; number < SIZE; number++) {
            if (!members.get(number).process().isAlive()) {
                members.get(number).close();
                members.set(number, startMember(number));
                replaced.add(number);
            }
        }
        for (int number : replaced) {
            members.get(number).awaitReady(now);
            begin(number);
        }
    }

    void calm() {
        members.forEach(member -> member.say("calm"));
    }

    /**
     * When each worker had its first lease after the calm began; for some, never in time.
     *
     * @param end until when to wait for them
     */
    List<Optional<Long>> turns(long end) throws InterruptedException {
        List<Optional<Long>> turns = new ArrayList<>();
        for (Member member : members) {
            Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
            turns.add(member.hear("turn", left).map(Long::parseLong));
        }
        return turns;
    }

    /** All stop working; what went wrong with whom. */
    List<String> end() throws InterruptedException {
        List<String> failures = new ArrayList<>();
        members.forEach(member -> member.say("end"));
        for (Member member : members) {
            String failure = member.hear("ended", LONGEST_END)
                    .orElse("no end of its turn within " + LONGEST_END.toSeconds() + " s");
            if (!failure.isEmpty()) {
                failures.add(member.name() + " " + failure);
            }
        }
        return failures;
    }

    /** What all workers wrote, the dead ones too. */
    List<History> histories() throws IOException {
        List<History> parts = new ArrayList<>();
        for (Path file : histories) {
            parts.add(Files.exists(file) ? History.readFrom(file) : new History());
        }
        History died = new History();
        deaths.events().forEach(died::add);
        parts.add(died);
        return parts;
    }

    @Override
    public void close() {
        members.forEach(Member::close);
    }
}
