package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What all cases of the contract share: the store, keys that nobody used before, and the time. */
abstract class StoreFixture {
    static final Duration LONG = Ask.LONG;

    private final List<LeaseStore> opened = new ArrayList<>();
    private final String prefix = "tck-" + UUID.randomUUID() + "/";
    private int keys;
    StoreUnderTest underTest;
    LeaseStore store;

    /** A store to be tested. Called before each test; what it gives is closed afterwards. */
    protected abstract StoreUnderTest storeUnderTest() throws Exception;

    @BeforeEach
    final void openStore() throws Exception {
        underTest = storeUnderTest();
        store = open();
    }

    @AfterEach
    final void closeStore() throws Exception {
        closeAll();
        underTest.close();
    }

    final StoreTraits traits() {
        return underTest.traits();
    }

    /** A second store object on the same data; the same one again if there can only be one. */
    final LeaseStore another() throws Exception {
        return traits().isShared() ? open() : store;
    }

    /** Closes everything, does something to the data, and opens it again. */
    final void reopenAfter(Offline offline) throws Exception {
        closeAll();
        offline.act(underTest);
        store = open();
    }

    interface Offline {
        void act(StoreUnderTest data) throws Exception;
    }

    private LeaseStore open() throws Exception {
        LeaseStore next = underTest.open();
        opened.add(next);
        return next;
    }

    private void closeAll() {
        opened.forEach(LeaseStore::close);
        opened.clear();
    }

    final boolean isTimeReal() {
        return traits().time() == StoreTraits.Time.REAL;
    }

    final void elapse(Duration time) throws Exception {
        underTest.elapse(time);
    }

    /** Until the store's clock shows another time. */
    final void letATickPass() throws Exception {
        elapse(traits().tick());
    }

    final void setBack(Duration by) throws Exception {
        underTest.setBack(by);
    }

    /** A TTL that is meant to run out: as short as can be where that means to wait. */
    final Duration brief() {
        return isTimeReal() ? store.shortestTtl() : Duration.ofSeconds(10);
    }

    /** What the keys of this test begin with. */
    final String prefix() {
        return prefix;
    }

    /** A key that nobody used before. */
    final Key key() {
        return key("key-" + keys++);
    }

    final Key key(String name) {
        return Key.of(prefix + name);
    }

    static Nonce nonce() {
        return Ask.nonce();
    }

    /** A new call for this key, which does not wait. Each has another owner, so that none is taken for another. */
    static AcquireRequest ask(Key key, Duration ttl) {
        Nonce nonce = nonce();
        return AcquireRequest.of(key, nonce, Owner.of("owner of " + nonce), ttl);
    }

    static AcquireRequest ask(Key key) {
        return ask(key, LONG);
    }

    final LeaseRef take(AcquireRequest request) {
        return Ask.take(store, request);
    }

    final LeaseRef take(Key key) {
        return take(ask(key));
    }

    /** A lease that has run out and that nobody took yet. */
    final LeaseRef takeAndLetExpire(Key key) throws Exception {
        LeaseRef lease = take(ask(key, brief()));
        elapse(brief());
        return lease;
    }

    static LeaseRef ref(AcquireRequest request, Granted grant) {
        return new LeaseRef(request.key(), request.nonce(), grant.fence());
    }

    static Granted granted(AcquireResult result) {
        return Ask.granted(result);
    }

    static Held held(AcquireResult result) {
        return result instanceof Held held ? held : fail("Not refused because it is held: %s", result);
    }

    final ReleaseResult release(LeaseRef lease) {
        return store.release(ReleaseRequest.of(lease));
    }

    /** Whether a renewal of this lease alone finds it to be its holder's. */
    final boolean isRenewed(LeaseRef lease) {
        return !store.renew(List.of(lease)).isEmpty();
    }

    /** The lease that somebody has on this key. */
    final LeaseRef holder(Key key) {
        LeaseRef holder = record(key).ref();
        return holder != null ? holder : fail("Nobody has the key %s.", key);
    }

    final LeaseSnapshot find(Key key) {
        return store.find(key).orElseThrow(() -> new AssertionError("There is no record of key " + key + "."));
    }

    final LeaseRecord record(Key key) {
        return find(key).record();
    }
}
