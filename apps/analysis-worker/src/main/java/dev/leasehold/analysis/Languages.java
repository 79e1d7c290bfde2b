package dev.leasehold.analysis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells the language of a text by its character trigrams: the language whose samples have the most similar ones. */
final class Languages {
    private static final int LEAST_TRIGRAMS = 12;
    private static final int MOST_CHARS = 20_000;
    private static final double LEAST_SIMILARITY = 0.1;

    private final Map<String, Map<String, Integer>> profiles;

    private Languages(Map<String, Map<String, Integer>> profiles) {
        this.profiles = profiles;
    }

    /** Those with a sample in {@code languages.tsv}. */
    static Languages known() {
        try (InputStream samples =
                Objects.requireNonNull(Languages.class.getResourceAsStream("languages.tsv"), "languages.tsv")) {
            Map<String, Map<String, Integer>> profiles = new LinkedHashMap<>();
            new String(samples.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split("\t", 2))
                    .forEach(cells -> profiles.put(cells[0], trigrams(cells[1])));
            return new Languages(profiles);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The language of this text in lower case; null if it is too short, or like none that is known. */
    @Nullable
    String of(String text) {
        Map<String, Integer> seen = trigrams(text.substring(0, Math.min(text.length(), MOST_CHARS)));
        if (seen.size() < LEAST_TRIGRAMS) {
            return null;
        }
        String best = null;
        double most = LEAST_SIMILARITY;
        for (Map.Entry<String, Map<String, Integer>> language : profiles.entrySet()) {
            double similarity = cosine(seen, language.getValue());
            if (similarity > most) {
                most = similarity;
                best = language.getKey();
            }
        }
        return best;
    }

    /** Each run of other characters than letters counts as one blank. */
    private static Map<String, Integer> trigrams(String text) {
        String letters = " " + text.replaceAll("[^\\p{L}\\p{M}]+", " ").strip() + " ";
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i + 3 <= letters.length(); i++) {
            counts.merge(letters.substring(i, i + 3), 1, Integer::sum);
        }
        return counts;
    }

    private static double cosine(Map<String, Integer> one, Map<String, Integer> other) {
        double product = 0;
        for (Map.Entry<String, Integer> entry : one.entrySet()) {
            product += (double) entry.getValue() * other.getOrDefault(entry.getKey(), 0);
        }
        return product / (length(one) * length(other));
    }

    private static double length(Map<String, Integer> counts) {
        return Math.sqrt(counts.values().stream()
                .mapToDouble(count -> (double) count * count)
                .sum());
    }
}
