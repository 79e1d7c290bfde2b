package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Renewal;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code leasehold renew}: extends a script's lease by one TTL. */
@Command(name = "renew", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class RenewCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Mixin
    private KeyOption key = new KeyOption();

    @Option(
            names = {"-t", "--token"},
            required = true,
            paramLabel = "TOKEN",
            descriptionKey = "token",
            converter = Token.Reader.class)
    private @Nullable Token token;

    @Override
    public Integer call() throws InterruptedException {
        Key renewed = key.get();
        Token given = Token.required(token);
        LeaseRef lease = given.of(renewed);
        try (LeaseStore opened = store.openInTime()) {
            List<Renewal> renewals = opened.renew(List.of(lease));
            if (renewals.isEmpty()) {
                return NotOurs.tell(opened, renewed, output);
            }
            Renewal renewal = renewals.get(0);
            output.answer(
                    Messages.text("renew.done", renewed, Durations.text(renewal.remaining())),
                    AcquireCommand.fields(renewed, given, renewal.remaining()));
            return 0;
        }
    }
}
