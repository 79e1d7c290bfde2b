package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Slots;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.HttpProfile;
import dev.leasehold.once.http.IdempotencyKey;
import dev.leasehold.once.http.IdempotencyKey.Parsed;
import dev.leasehold.once.http.Reply;
import dev.leasehold.store.Key;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Replies that are kept by a run")
class ReplayedReplyTest {
    private static final RunSpec<Reply> SPEC = RunSpec.of(Reply.codec());

    private final Leasehold leasehold = Leasehold.on(new MemoryLeaseStore());
    private int runs;

    @AfterEach
    void close() {
        leasehold.close();
    }

    private Reply pay() {
        byte[] body = {'{', (byte) runs++, '}'};
        return Reply.of(201, Map.of("Location", List.of("/payments/1"), "Set-Cookie", List.of("session=secret")), body);
    }

    private static Key key(String tenant) {
        return IdempotencyKey.scoped(tenant, "POST", "/payments", new Parsed.Valid("8e03978e"));
    }

    @Test
    @Tag("part-of:FINALIZE-1")
    @DisplayName("are sent again the same to the byte, marked, and without what belongs to one caller")
    void replyIsReplayed() throws Exception {
        Outcome<Reply> first = leasehold.once(key("a"), SPEC).run(run -> pay());
        HttpAnswer again =
                HttpProfile.CLIENT.answer(leasehold.once(key("a"), SPEC).run(run -> pay()));

        assertThat(runs).isEqualTo(1);
        assertThat(again.reply()).isEqualTo(first.toOptional().orElseThrow());
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.headers()).containsEntry("Idempotent-Replayed", "true");
        assertThat(again.reply().headers()).containsOnlyKeys("location");
    }

    @Test
    @DisplayName("are not those of another tenant with the same key")
    void tenantsAreApart() throws Exception {
        leasehold.once(key("a"), SPEC).run(run -> pay());

        assertThat(leasehold.once(key("b"), SPEC).run(run -> pay())).isInstanceOf(Outcome.Ran.class);
    }

    @Test
    @DisplayName("can be those of a failure, which is kept for good with its status")
    void failureIsReplayed() throws Exception {
        Reply declined = Reply.of(402, "text/plain", new byte[] {'n', 'o'});
        for (int i = 0; i < 2; i++) {
            Outcome<Reply> outcome = leasehold.once(key("a"), SPEC).run(run -> {
                runs++;
                throw new TerminalException(declined.asFailure("declined", "No."));
            });
            assertThat(HttpProfile.CLIENT.answer(outcome).status()).isEqualTo(402);
            assertThat(HttpProfile.CLIENT.answer(outcome).reply()).isEqualTo(declined);
        }
        assertThat(runs).isEqualTo(1);
    }

    @Test
    @DisplayName("are one for each slot of time")
    void oncePerSlot() throws Exception {
        Instant now = Instant.parse("2026-01-15T10:20:00Z");
        for (Instant moment : List.of(now, now.plusSeconds(60), now.plusSeconds(3_600))) {
            Slots.Slot slot = Slots.hourly().slotOf(moment);
            leasehold
                    .once(slot.keyOf(Key.of("report")), SPEC.withRetention(slot.retentionFrom(moment)))
                    .run(run -> pay());
        }
        assertThat(runs).isEqualTo(2);
    }
}
