package dev.leasehold.once;

import java.util.List;

/** What became of a claim to several names: all of them, or none. */
public sealed interface NameClaims {
    /** Every name is the subject's: for now, until {@link #confirm} makes it so for good. */
    final class AllWon implements NameClaims {
        private final List<NameClaim.Won> claims;
        private final NameRecords records;

        AllWon(List<NameClaim.Won> claims, NameRecords records) {
            this.claims = List.copyOf(claims);
            this.records = records;
        }

        /** One for each name, in the order of their keys; texts that are the same name have one claim. */
        public List<NameClaim.Won> claims() {
            return claims;
        }

        /**
         * Confirms all. Asking again is harmless.
         *
         * @return whether all are the subject's for good; if not, one has lapsed, and all that these claims had got is
         *     given up again
         * @throws dev.leasehold.store.StoreException if the store did not answer: some may be confirmed. Ask again
         */
        public boolean confirm() {
            // If one has lapsed this tells before anything is confirmed, and then there is time for all of them.
            if (!records.renewAll(claims)) {
                giveBack();
                return false;
            }
            for (NameClaim.Won claim : claims) {
                if (!claim.confirm()) {
                    giveBack();
                    return false;
                }
            }
            return true;
        }

        /** Gives up every claim that is pending. */
        public void abandon() {
            claims.forEach(NameClaim.Won::abandon);
        }

        private void giveBack() {
            for (NameClaim.Won claim : claims) {
                if (!claim.isConfirmed() && !claim.abandon() && records.isHeldBy(claim)) {
                    records.change(claim.name(), claim.subject(), null);
                }
            }
        }
    }

    /** None is the subject's; this one is the first, in the order of their keys, that somebody else has. */
    record OneTaken(NameClaim.Taken taken) implements NameClaims {}
}
