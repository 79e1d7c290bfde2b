package dev.leasehold.moc;

import dev.leasehold.once.Outcome;
import dev.leasehold.once.http.HttpAnswer;
import dev.leasehold.once.http.HttpProfile;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /api/mocs/{id}/finalize}, which may be sent any number of times. */
@RestController
final class FinalizeController {
    private final MocRepository mocs;
    private final Finalizer finalizer;
    private final Users users;

    FinalizeController(MocRepository mocs, Finalizer finalizer, Users users) {
        this.mocs = mocs;
        this.finalizer = finalizer;
        this.users = users;
    }

    @PostMapping("/api/mocs/{id}/finalize")
    ResponseEntity<Object> finalizeOnce(@PathVariable("id") String text, HttpServletRequest request) throws Exception {
        UUID id = Bodies.id(text);
        String owner = users.id(request);
        FinalizeLog log = FinalizeLog.of(request).about(owner, id);
        if (!mocs.isOwned(id, owner)) { // Before the lock: nobody locks another user's MOC.
            throw Problems.unknown();
        }
        Outcome<Moc> outcome = finalizer.run(id);
        HttpAnswer answer = HttpProfile.FINALIZE.answer(outcome);
        if (answer.status() >= 500) {
            log.failed(answer.status(), "unrecorded", null);
        } else {
            log.ended(outcome);
        }
        if (!answer.sendsReply()) {
            return Problems.send(answer);
        }
        Map<String, @Nullable Object> body = Views.of(outcome.toOptional().orElseThrow(), mocs.files(id));
        body.putAll(answer.fields()); // idempotent: true, if it was finalized before.
        return ResponseEntity.ok(body);
    }
}
