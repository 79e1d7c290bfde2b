package dev.leasehold.once;

import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import java.time.Duration;

/** What became of a claim. Losing is a result, not an error, and the loser learns who has the name. */
public sealed interface NameClaim {
    Name name();

    /**
     * The name is the subject's: for now, until {@link #confirm} makes it so for good.
     *
     * <p>Nothing renews a pending claim. It outlives the process that made it, unless the store frees what the dead held,
     * and lapses when its time is over. Safe for use by many threads.
     */
    final class Won implements NameClaim {
        private final Name name;
        private final Subject subject;
        private final LeaseRef ref;
        private final boolean isConfirmed;
        private final boolean isNew;
        private final NameRecords records;
        private final Runnable afterConfirming;

        Won(Name name, Subject subject, LeaseRef ref, Standing standing, NameRecords records) {
            this(name, subject, ref, standing == Standing.CONFIRMED, standing == Standing.NEW, records, () -> {});
        }

        private Won(
                Name name,
                Subject subject,
                LeaseRef ref,
                boolean isConfirmed,
                boolean isNew,
                NameRecords records,
                Runnable afterConfirming) {
            this.name = name;
            this.subject = subject;
            this.ref = ref;
            this.isConfirmed = isConfirmed;
            this.isNew = isNew;
            this.records = records;
            this.afterConfirming = afterConfirming;
        }

        /** Where a claim stands when it is won. */
        enum Standing {
            /** Granted by this very call. */
            NEW,
            /** The subject had claimed it before, and not confirmed. */
            PENDING,
            /** The subject has it for good. */
            CONFIRMED
        }

        /** The same claim, with something that has to follow its confirmation. */
        Won thenDoing(Runnable next) {
            return new Won(name, subject, ref, isConfirmed, isNew, records, next);
        }

        @Override
        public Name name() {
            return name;
        }

        public Subject subject() {
            return subject;
        }

        /**
         * The same each time the subject claims the name, until it is given up or transferred. A claim that is made after
         * the name was free again has a larger one; between the two sides of a transfer there is no such order.
         */
        public Fence fence() {
            return ref.fence();
        }

        /** Whether the subject had the name for good when it asked. */
        public boolean isConfirmed() {
            return isConfirmed;
        }

        LeaseRef ref() {
            return ref;
        }

        boolean isNew() {
            return isNew;
        }

        /**
         * Makes the name the subject's for good. To be called once what bears the name exists. Asking again is harmless.
         *
         * @return whether it is; if not, the claim lapsed or the name was given away, and another subject has, or had,
         *     the name: undo what bears it
         * @throws dev.leasehold.store.StoreException if the store did not answer: whether it is confirmed is unknown.
         *     Ask again, or claim again as the same subject
         */
        public boolean confirm() {
            boolean isDone = records.settle(confirming()).isSettled() && records.isHolder(this);
            if (isDone) {
                afterConfirming.run();
            }
            return isDone;
        }

        /**
         * The same as a request, for a store that can settle in a transaction of the user's own: then what bears the
         * name and the confirmation are committed together, or neither. Of a {@linkplain UniqueNames#rename rename},
         * the old name has still to be released afterwards.
         */
        public SettleRequest confirming() {
            return SettleRequest.of(ref, Settlement.done(subject.asPayload(), Micros.FOREVER));
        }

        /**
         * Gives up a pending claim, so that the name is free at once.
         *
         * @return whether it was pending and this subject's; a confirmed name stays, see {@link UniqueNames#release}
         */
        public boolean abandon() {
            return records.withdraw(ref);
        }

        @Override
        public String toString() {
            return name + " is " + subject + "'s" + (isConfirmed ? "" : ", pending");
        }
    }

    /**
     * Another subject has it.
     *
     * @param isPending whether that claim is not confirmed yet, so that it may still lapse or be abandoned
     * @param remaining how long until it lapses unless confirmed; {@link Micros#FOREVER} if it is confirmed
     */
    record Taken(Name name, Subject holder, boolean isPending, Duration remaining) implements NameClaim {}
}
