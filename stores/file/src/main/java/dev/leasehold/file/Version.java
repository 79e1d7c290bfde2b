package dev.leasehold.file;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Place;
import dev.leasehold.store.Tenure;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One state of one key, as one file has it.
 *
 * @param life which life of the key's directory it belongs to; a directory that was removed and made again has another
 * @param number 1 for the first in a life, then one more for each change
 * @param tag never used twice
 * @param ancestors the tags of the versions before, the nearest first, up to {@value #MEMORY}; none for the first
 * @param record {@code null} for the last of a life: the record was purged and nothing may follow
 * @param processes who acts for the nonces of the record; a nonce may be missing, nothing is known of it then
 */
record Version(
        Key key,
        String life,
        long number,
        String tag,
        List<String> ancestors,
        @Nullable LeaseRecord record,
        Map<Nonce, ProcessMark> processes) {
    /** How many versions back one can tell whether this one was built upon them. */
    static final int MEMORY = 16;

    static final String ADVICE = "The lease is granted to nobody until this is mended. If no process uses it,"
            + " delete the directory of that file: the lease is free then.";

    private static final String KIND = "lease";

    Version {
        ancestors = List.copyOf(ancestors);
        processes = Map.copyOf(processes);
    }

    /** The first version of a record, in a new life of its directory. */
    static Version first(LeaseRecord record, Map<Nonce, ProcessMark> processes) {
        return new Version(
                record.key(), Machine.newTag(), 1, Machine.newTag(), List.of(), record, named(record, processes));
    }

    Version next(LeaseRecord changed, Map<Nonce, ProcessMark> known) {
        return new Version(key, life, number + 1, Machine.newTag(), lineage(), changed, named(changed, known));
    }

    /** The version after which nothing may follow. */
    Version last() {
        return new Version(key, life, number + 1, Machine.newTag(), lineage(), null, Map.of());
    }

    boolean isFirst() {
        return ancestors.isEmpty();
    }

    boolean isLast() {
        return record == null;
    }

    boolean follows(@Nullable Version other) {
        return other != null && !isFirst() && other.tag.equals(ancestors.get(0));
    }

    private List<String> lineage() {
        return Stream.concat(Stream.of(tag), ancestors.stream()).limit(MEMORY).toList();
    }

    private static Map<Nonce, ProcessMark> named(LeaseRecord record, Map<Nonce, ProcessMark> known) {
        Map<Nonce, ProcessMark> named = new HashMap<>();
        Tenure tenure = record.tenure();
        if (tenure != null && known.containsKey(tenure.nonce())) {
            named.put(tenure.nonce(), known.get(tenure.nonce()));
        }
        for (Place place : record.line()) {
            if (known.containsKey(place.nonce())) {
                named.put(place.nonce(), known.get(place.nonce()));
            }
        }
        return named;
    }

    byte[] toBytes() {
        StateText.Writer text = new StateText.Writer(KIND)
                .put("life", life)
                .put("version", number)
                .put("tag", tag)
                .putIfAny("ancestors", isFirst() ? null : String.join(" ", ancestors));
        if (record == null) {
            text.put("purged", key);
        } else {
            RecordText.write(text, record);
        }
        processes.forEach((nonce, mark) -> text.put("process", nonce + " " + mark));
        return text.toBytes();
    }

    static Version parse(Path file, byte[] bytes) {
        return StateText.parse(file, KIND, bytes, ADVICE, Version::parse);
    }

    private static Version parse(StateText.Reader text) {
        String life = text.take("life");
        long number = Long.parseLong(text.take("version"));
        String tag = text.take("tag");
        String ancestors = text.takeIfAny("ancestors");
        String purged = text.takeIfAny("purged");
        LeaseRecord record = purged == null ? RecordText.read(text) : null;
        Key key = record == null ? Key.of(String.valueOf(purged)) : record.key();
        Map<Nonce, ProcessMark> processes = new HashMap<>();
        String line;
        while ((line = text.takeIfAny("process")) != null) {
            int blank = line.indexOf(' ');
            processes.put(Nonce.parse(line.substring(0, blank)), ProcessMark.parse(line.substring(blank + 1)));
        }
        return new Version(
                key,
                life,
                number,
                tag,
                ancestors == null ? List.of() : List.of(ancestors.split(" ", -1)),
                record,
                processes);
    }
}
