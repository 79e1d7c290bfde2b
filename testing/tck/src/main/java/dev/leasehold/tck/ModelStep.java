package dev.leasehold.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One thing to do to a store and to its model. What exactly follows from the seed and from what the record looks like
 * then, so that steps can be left out of a sequence and the others keep their meaning.
 */
record ModelStep(Verb verb, long seed) {
    enum Verb {
        ACQUIRE(35),
        RENEW(10),
        RENEW_WITH_TTL(5),
        RELEASE(15),
        SETTLE(13),
        ELAPSE(13),
        SET_BACK(2),
        PURGE(3),
        LIST(4);

        private final int weight;

        Verb(int weight) {
            this.weight = weight;
        }
    }

    /** @param isTimeReal whether to wait is to wait, so that little of it is wanted */
    static List<ModelStep> sequence(long seed, int length, boolean isTimeReal) {
        Random random = new Random(seed);
        List<ModelStep> steps = new ArrayList<>();
        while (steps.size() < length) {
            Verb verb = draw(random);
            long own = random.nextLong();
            boolean isTooSlow = verb == Verb.SET_BACK || (verb == Verb.ELAPSE && random.nextBoolean());
            if (!isTimeReal || !isTooSlow) {
                steps.add(new ModelStep(verb, own));
            }
        }
        return steps;
    }

    private static Verb draw(Random random) {
        int ticket = random.nextInt(100);
        for (Verb verb : Verb.values()) {
            ticket -= verb.weight;
            if (ticket < 0) {
                return verb;
            }
        }
        throw new IllegalStateException("The weights do not add up to 100.");
    }
}
