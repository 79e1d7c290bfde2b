package dev.leasehold.store;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says that a store's records are the user's own, and what they can keep.
 *
 * @param collection names the table or collection, such as {@code analyses}
 * @param keyPrefix what all keys of the records begin with, in front of the record's id; may be empty
 * @param fixedTtl for how long each lease is granted, if the records do not say it one by one; callers may ask for less
 * @param reason the field for the message of a failure, if there is one
 * @param code the field for the code of a failure, if there is one
 * @param writable the fields that a run may write with its result
 */
public record RecordTraits(
        String collection,
        String keyPrefix,
        @Nullable Duration fixedTtl,
        @Nullable String reason,
        @Nullable String code,
        Set<String> writable,
        Set<Ability> abilities) {
    /** An ability that a record of the user's own may have or lack. */
    public enum Ability {
        /** It can be marked as done, so that runs work on it. */
        RUN,
        /** It can be marked as failed. */
        FAIL,
        /** It counts attempts. */
        ATTEMPTS,
        /** It keeps a checkpoint. */
        CHECKPOINT
    }

    public RecordTraits {
        writable = Set.copyOf(writable);
        abilities = Set.copyOf(abilities);
    }

    /** Records whose keys are their ids, whose leases have any TTL, and of which a run writes no field. */
    public static RecordTraits of(String collection, Ability... abilities) {
        return new RecordTraits(collection, "", null, null, null, Set.of(), Set.of(abilities));
    }

    public boolean can(Ability ability) {
        return abilities.contains(ability);
    }

    /** The record of a key, for people, such as {@code analyses/42}. */
    public String nameOf(Key key) {
        String text = key.value();
        return collection + "/" + (text.startsWith(keyPrefix) ? text.substring(keyPrefix.length()) : text);
    }
}
