package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.Stores;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the commands that run nothing do, on any store that keeps a history. */
abstract class CommandsContract {
    private static final Owner ANN = Owner.of("ann");
    private static final Duration TTL = Duration.ofMinutes(5);

    private LeaseStore store;
    private int calls;

    /** The URL of a store that is there and has no records. */
    abstract String url();

    @BeforeEach
    void open() {
        store = Stores.open(url());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Answer call(String command, String... arguments) {
        return Answer.of(line(command, arguments));
    }

    private String[] line(String command, String... arguments) {
        String[] line = new String[arguments.length + 3];
        line[0] = command;
        System.arraycopy(arguments, 0, line, 1, arguments.length);
        line[line.length - 2] = "--store";
        line[line.length - 1] = url();
        return line;
    }

    private LeaseRef held(String key) {
        AcquireRequest request = AcquireRequest.of(Key.of(key), new Nonce(7, ++calls), ANN, TTL);
        AcquireResult.Granted granted = (AcquireResult.Granted) store.acquire(request);
        return new LeaseRef(request.key(), request.nonce(), granted.fence());
    }

    private LeaseRef settled(String key) {
        LeaseRef lease = held(key);
        store.settle(SettleRequest.of(lease, Settlement.done(Payload.of("four"), Duration.ofDays(1))));
        return lease;
    }

    private String token(String key, String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "--key";
        arguments[1] = key;
        System.arraycopy(more, 0, arguments, 2, more.length);
        Answer answer = call("acquire", arguments);
        assertThat(answer.code()).as(answer.err()).isZero();
        return answer.out().strip();
    }

    // ---- acquire, renew, release

    @Test
    @DisplayName("A script acquires, renews and releases by a token")
    void scriptsHaveATokenForTheirLease() {
        String token = token("job", "--ttl", "10m", "--owner", "script");
        assertThat(token).matches("[0-9a-f]{32}-\\d+");
        assertThat(call("show", "job").out()).contains("held", "script");
        Answer renewed = call("renew", "--key", "job", "--token", token);
        assertThat(renewed.code()).isZero();
        assertThat(renewed.out()).matches("job: renewed, (10m0|9m5\\d)s left\n");
        Answer released = call("release", "--key", "job", "--token", token);
        assertThat(released.code()).isZero();
        assertThat(released.out()).startsWith("job: given back");
        assertThat(call("wait", "job", "--timeout", "0").code()).isZero();
    }

    @Test
    @DisplayName("With --json the token comes with key, fence and the time left")
    void acquireAnswersInJson() {
        Answer answer = call("acquire", "--key", "食事", "--json");
        assertThat(answer.out().strip())
                .matches("\\{\"key\":\"食事\",\"token\":\"[0-9a-f]{32}-(\\d+)\",\"fence\":\\1,\"remainingMs\":\\d+}");
    }

    @Test
    @DisplayName("A key that is held is refused with 1, and its holder is named")
    void aHeldKeyIsRefused() {
        LeaseRef lease = held("job");
        Answer answer = call("acquire", "--key", "job");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err()).contains("job busy: ann since ", " left, fence " + lease.fence());
        assertThat(call("acquire", "--key", "job", "--json").shape())
                .isEqualTo("{\"key\":\"job\",\"token\":null,\"state\":\"held\",\"owner\":\"ann\",\"fence\":N,"
                        + "\"heldForMs\":N,\"remainingMs\":N}");
    }

    @Test
    @DisplayName("Another's token releases nothing, and 1 says who holds it")
    void aForeignTokenReleasesNothing() {
        LeaseRef lease = held("job");
        Token foreign = new Token(new Nonce(1, 1), lease.fence());
        Answer answer = call("release", "--key", "job", "--token", foreign.toString());
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("not held any more", "busy: ann");
        assertThat(store.find(Key.of("job")).orElseThrow().isHeld()).isTrue();
    }

    @Test
    @DisplayName("A lease that was released is not renewed")
    void aReleasedLeaseIsNotRenewed() {
        String token = token("job");
        call("release", "--key", "job", "--token", token);
        Answer answer = call("renew", "--key", "job", "--token", token, "--json");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.out()).contains("\"key\":\"job\",\"state\":\"free\"");
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("A release with a cooldown keeps the key closed")
    void aCooldownKeepsTheKeyClosed() {
        String token = token("job");
        assertThat(call("release", "--key", "job", "--token", token, "--cooldown", "1h")
                        .code())
                .isZero();
        Answer answer = call("acquire", "--key", "job");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("job closed");
        assertThat(call("list", "--state", "free").out()).contains("cooling");
    }

    @Test
    @Tag("slow")
    @DisplayName("Who waits gets the lease when it is given back, for its whole TTL")
    void aWaiterIsGrantedTheLease() {
        String first = token("job");
        CompletableFuture<Answer> second = CompletableFuture.supplyAsync(
                () -> call("acquire", "--key", "job", "--wait", "30s", "--ttl", "10m", "--json"));
        Waiting.until(() -> line("job") == 1, () -> "somebody in line");
        assertThat(call("show", "job").out()).contains("WAITING   1");
        assertThat(call("release", "--key", "job", "--token", first).code()).isZero();
        Answer answer = second.join();
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).containsPattern("\"remainingMs\":[56]\\d{5}\\b");
        assertThat(line("job")).isZero();
    }

    private int line(String key) {
        return store.find(Key.of(key))
                .map(found -> found.record().line().size())
                .orElse(0);
    }

    @Test
    @DisplayName("Who waited in vain leaves no place in line behind")
    void waitingInVainLeavesNothing() {
        held("job");
        Answer answer = call("acquire", "--key", "job", "--wait", "100ms");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(line("job")).isZero();
    }

    // ---- release --force

    @Test
    @DisplayName("A forced release needs the fence that was seen, and a reason")
    void forceNeedsFenceAndReason() {
        LeaseRef lease = held("job");
        String fence = lease.fence().toString();
        assertThat(call("release", "--key", "job", "--force").code()).isEqualTo(64);
        assertThat(call("release", "--key", "job", "--force", "--fence", fence).code())
                .isEqualTo(64);
        assertThat(call("release", "--key", "job", "--force", "--fence", fence, "--reason", " ")
                        .code())
                .isEqualTo(64);
        Answer answer = call("release", "--key", "job", "--force", "--reason", "stuck");
        assertThat(answer.code()).isEqualTo(64);
        assertThat(answer.err()).contains("--fence", "leasehold show", "--reason");
        assertThat(store.find(Key.of("job")).orElseThrow().isHeld()).isTrue();
    }

    @Test
    @DisplayName("A forced release of another lease than was seen does nothing, and 1 names the present holder")
    void forceRefusesWhatChanged() {
        LeaseRef lease = held("job");
        long old = lease.fence().value() - 1;
        Answer answer = call("release", "--key", "job", "--force", "--fence", Long.toString(old), "--reason", "stuck");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("busy: ann", "fence " + lease.fence());
        assertThat(store.find(Key.of("job")).orElseThrow().isHeld()).isTrue();
    }

    @Test
    @DisplayName("A forced release is done, and the history tells who did it and why")
    void forceIsAudited() {
        LeaseRef lease = held("job");
        Answer answer = call(
                "release", "--key", "job", "--force", "--fence", lease.fence().toString(), "--reason", "host is down");
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).contains("taken away from ann");
        assertThat(store.find(Key.of("job")).orElseThrow().isHeld()).isFalse();
        assertThat(call("history", "job", "--kind", "forced", "--json").shape())
                .contains("\"kind\":\"forced\",\"owner\":\"ann\",\"fence\":N,\"reason\":\"host is down\",\"actor\":\"")
                .contains("@");
    }

    @Test
    @DisplayName("There is nothing to take away where nobody holds anything")
    void forceNeedsAHolder() {
        Answer answer = call("release", "--key", "job", "--force", "--fence", "1", "--reason", "stuck");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("nothing is known of this key");
    }

    // ---- list, show

    @Test
    @DisplayName("An empty store lists nothing, and says so beside the answer")
    void anEmptyStoreListsNothing() {
        Answer answer = call("list");
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err()).contains("No key is in this state.");
        assertThat(call("list", "--json").out().strip()).isEqualTo("[]");
    }

    @Test
    @DisplayName("Keys are listed in aligned columns, whatever script they are in")
    void keysAreListedInColumns() {
        held("口腔ケア");
        held("job");
        Answer answer = call("list");
        List<String> lines = answer.out().lines().toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).startsWith("KEY       STATE  OWNER  SINCE");
        assertThat(lines.get(1)).startsWith("job       held   ann    ");
        assertThat(lines.get(2)).startsWith("口腔ケア  held   ann    ");
    }

    @Test
    @DisplayName("What can turn or hide a line is escaped in a table and not in JSON")
    void harmfulCharactersAreEscaped() {
        held("a\u202eb");
        assertThat(call("list").out()).contains("a\\u{202e}b").doesNotContain("\u202e");
        assertThat(call("list", "--json").out()).contains("\"key\":\"a\u202eb\"");
    }

    @Test
    @DisplayName("Held and settled keys are listed, free ones when asked for")
    void theStateChooses() {
        held("held");
        settled("settled");
        store.release(ReleaseRequest.of(held("free")));
        assertThat(keys("list")).containsExactly("held", "settled");
        assertThat(keys("list", "--state", "held")).containsExactly("held");
        assertThat(keys("list", "--state", "SETTLED")).containsExactly("settled");
        assertThat(keys("list", "--state", "free")).containsExactly("free");
        assertThat(keys("list", "--state", "all")).containsExactly("free", "held", "settled");
        assertThat(keys("list", "se", "--state", "all")).containsExactly("settled");
    }

    private List<String> keys(String command, String... arguments) {
        return call(command, arguments)
                .out()
                .lines()
                .skip(1)
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }

    @Test
    @DisplayName("A list in JSON is one array")
    void listAnswersInJson() {
        held("a");
        settled("b");
        assertThat(call("list", "--json").shape().replaceAll("\\s", ""))
                .isEqualTo(
                        "[{\"key\":\"a\",\"state\":\"held\",\"fence\":N,\"owner\":\"ann\",\"heldForMs\":N,\"ttlMs\":N,"
                                + "\"remainingMs\":N,\"attempts\":N,\"waiting\":N},"
                                + "{\"key\":\"b\",\"state\":\"done\",\"fence\":N,\"owner\":\"ann\",\"heldForMs\":N,\"ttlMs\":N,"
                                + "\"remainingMs\":N,\"attempts\":N,\"waiting\":N,\"answerBytes\":N}]");
    }

    @Test
    @DisplayName("A key that nobody knows is answered with 1")
    void showOfNothingIsNo() {
        Answer answer = call("show", "job");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("job: nothing is known of this key");
        Answer json = call("show", "job", "--json");
        assertThat(json.code()).isEqualTo(1);
        assertThat(json.out()).contains("\"state\":\"absent\"");
    }

    @Test
    @DisplayName("All that is known of a key is shown: holder, time left, fence, line, answer, history")
    void showTellsAll() {
        token("job", "--owner", "script");
        store.acquire(AcquireRequest.of(Key.of("job"), new Nonce(9, 9), Owner.of("bob"), TTL)
                .inLineFor(Duration.ofMinutes(1)));
        assertThat(call("show", "job").out())
                .contains("KEY       job", "STATE     held", "OWNER     script", "FENCE     ", "WAITING   1", "bob (")
                .containsPattern("LEFT      4m5\\ds")
                .containsPattern("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  acquired  script");
        assertThat(call("show", "job", "--json").out())
                .contains("\"line\":[{\"owner\":\"bob\",\"waitingMs\":", "\"history\":[{\"number\":");
        settled("run");
        assertThat(call("show", "run").out()).contains("STATE     done", "ANSWER    4 bytes");
    }

    // ---- history, wait, watch

    @Test
    @DisplayName("What happened is told, the latest last, for one key or all, of some kinds or all")
    void historyTells() {
        String token = token("a/1");
        call("acquire", "--key", "a/1");
        call("release", "--key", "a/1", "--token", token);
        token("b");
        assertThat(kinds("a/1")).containsExactly("acquired", "skipped", "released");
        assertThat(kinds()).containsExactly("acquired", "skipped", "released", "acquired");
        assertThat(kinds("--prefix", "a/")).hasSize(3);
        assertThat(kinds("--limit", "2")).containsExactly("released", "acquired");
        assertThat(kinds("a/1", "--kind", "acquired,released")).containsExactly("acquired", "released");
        assertThat(call("history", "a/1").out()).contains("TIME", "KIND", "REASON", "held by ");
    }

    private List<String> kinds(String... arguments) {
        String[] all = new String[arguments.length + 1];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        all[arguments.length] = "--json";
        return Pattern.compile("\"kind\":\"([a-z-]+)\"")
                .matcher(call("history", all).out())
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    @DisplayName("A key and a prefix at once, or no entries at all, are wrong usage")
    void historyRefusesNonsense() {
        assertThat(call("history", "a", "--prefix", "b").code()).isEqualTo(64);
        assertThat(call("history", "--limit", "0").code()).isEqualTo(64);
        assertThat(call("history").err()).contains("Nothing was recorded.");
    }

    @Test
    @DisplayName("Waiting for a key that is held ends with 1 and its holder, if the time is over")
    void waitTimesOut() {
        held("job");
        Answer answer = call("wait", "job", "--timeout", "100ms");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("job busy: ann");
        assertThat(call("wait", "job", "--timeout", "0", "--json").out()).contains("\"state\":\"held\"");
    }

    @Test
    @DisplayName("Waiting ends when the key is given back, and takes nothing")
    void waitEndsWithTheRelease() {
        LeaseRef lease = held("job");
        CompletableFuture<Answer> waiting = CompletableFuture.supplyAsync(() -> call("wait", "job"));
        store.release(ReleaseRequest.of(lease));
        Answer answer = waiting.join();
        assertThat(answer.code()).isZero();
        assertThat(answer.out()).contains("job: nobody holds it");
        assertThat(store.find(Key.of("job")).orElseThrow().isHeld()).isFalse();
        assertThat(call("wait", "never-seen").code()).isZero();
    }

    @Test
    @Tag("slow")
    @DisplayName("What happens is followed, a line an event, until the time is over")
    void watchFollows() {
        note("before", "a");
        CompletableFuture<Answer> watching =
                CompletableFuture.supplyAsync(() -> call("watch", "a", "--timeout", "3s", "--after", "0", "--json"));
        note("then", "a");
        note("other", "b");
        Answer answer = watching.join();
        assertThat(answer.code()).isZero();
        assertThat(answer.out().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"number\":"));
        assertThat(answer.out()).contains("before", "then").doesNotContain("other");
        assertThat(call("watch", "--timeout", "0").out()).isEmpty();
    }

    private void note(String reason, String key) {
        store.history()
                .orElseThrow()
                .append(List.of(HistoryNote.of(Key.of(key), HistoryKind.LOST).withReason(reason)));
    }

    // ---- doctor

    @Test
    @DisplayName("The doctor finds a good store healthy, and tells how the clocks differ")
    void theDoctorIsContent() {
        held("job");
        Answer answer = call("doctor");
        assertThat(answer.code()).as(answer.out()).isZero();
        assertThat(answer.out()).contains("✓  java", "✓  reach", "✓  settings", "✓  history", "✓  clock", " ms");
        assertThat(call("doctor", "--json").out()).startsWith("{\"healthy\":true,\"checks\":[{\"subject\":\"java\"");
    }
}
