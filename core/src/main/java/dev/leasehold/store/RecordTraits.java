package dev.leasehold.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says that a store's records are the user's own, and what they can keep.
 *
 * @param what names the table or collection for people, such as {@code analyses}
 * @param reasonField the field for the message of a failure, if there is one
 * @param codeField the field for the code of a failure, if there is one
 * @param writable the fields that a run may write with its result
 */
public record RecordTraits(
        String what,
        @Nullable String reasonField,
        @Nullable String codeField,
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

    public boolean can(Ability ability) {
        return abilities.contains(ability);
    }

    /** The record of a key, for people, such as {@code analyses/42}. */
    public String nameOf(Key key) {
        String text = key.toString();
        return text.startsWith(what + "/") ? text : what + "/" + text;
    }
}
