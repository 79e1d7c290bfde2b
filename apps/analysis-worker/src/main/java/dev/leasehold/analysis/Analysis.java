package dev.leasehold.analysis;

import dev.leasehold.once.RecordCodec;
import dev.leasehold.store.Fields;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One analysis as it is kept: the text, whether its work is done, and the result or what went wrong.
 *
 * @param error why it failed
 */
record Analysis(
        String status,
        String text,
        @Nullable Report report,
        @Nullable String error) {
    static final String PENDING = "PENDING";
    static final String READY = "READY";
    static final String FAILED = "FAILED";

    /**
     * Reads a record, and says which fields a result writes. The mapping says which fields are the lock and the status.
     */
    static final RecordCodec<Analysis> CODEC = RecordCodec.of(Analysis::read, Analysis::written);

    Analysis with(Report result) {
        return new Analysis(status, text, result, error);
    }

    static Analysis read(Fields record) {
        String status = Objects.requireNonNullElse(record.text("status"), PENDING);
        String text = Objects.requireNonNullElse(record.text("text"), "");
        Long words = record.number("words");
        Long sentences = record.number("sentences");
        Double readability = record.floating("readability");
        String top = record.text("topWords");
        Report report = words == null || sentences == null || readability == null || top == null
                ? null
                : new Report(record.text("language"), words, sentences, readability, split(top));
        return new Analysis(status, text, report, record.text("error"));
    }

    private static List<String> split(String words) {
        return words.isEmpty() ? List.of() : List.of(words.split(" ", -1));
    }

    private static Fields written(Analysis analysis) {
        Report report = Objects.requireNonNull(analysis.report(), "an analysis that is done has a report");
        return Fields.of("language", report.language())
                .and("words", report.words())
                .and("sentences", report.sentences())
                .and("readability", report.readability())
                .and("topWords", String.join(" ", report.topWords()));
    }
}
