package dev.leasehold.analysis;

import java.text.BreakIterator;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Analyses a text in five steps, and makes sure before each that it may go on. */
final class TextAnalysis implements Analyser {
    private static final int TOP_WORDS = 10;
    private static final int LONG_WORD = 6;
    private static final int WORDS_BETWEEN_CHECKS = 10_000;

    private final Languages languages = Languages.known();

    @Override
    public Report analyse(String text, Check check) throws InterruptedException {
        check.ensure();
        String normal = Normalizer.normalize(text, Normalizer.Form.NFC).strip();
        String lower = normal.toLowerCase(Locale.ROOT);
        check.ensure();
        List<String> words = words(lower, check);
        long sentences = sentences(normal, check); // Capital letters tell where they begin.
        check.ensure();
        List<String> top = mostFrequent(words);
        check.ensure();
        String language = languages.of(lower);
        check.ensure();
        return new Report(language, words.size(), sentences, readability(words, sentences), top);
    }

    private static List<String> words(String text, Check check) throws InterruptedException {
        BreakIterator breaks = BreakIterator.getWordInstance(Locale.ROOT);
        breaks.setText(text);
        List<String> words = new ArrayList<>();
        int start = breaks.first();
        for (int end = breaks.next(); end != BreakIterator.DONE; start = end, end = breaks.next()) {
            if (hasLetter(text, start, end)) {
                words.add(text.substring(start, end));
                if (words.size() % WORDS_BETWEEN_CHECKS == 0) {
                    check.ensure();
                }
            }
        }
        return words;
    }

    private static long sentences(String text, Check check) throws InterruptedException {
        BreakIterator breaks = BreakIterator.getSentenceInstance(Locale.ROOT);
        breaks.setText(text);
        long sentences = 0;
        int start = breaks.first();
        for (int end = breaks.next(); end != BreakIterator.DONE; start = end, end = breaks.next()) {
            if (hasLetter(text, start, end)) {
                sentences++;
                if (sentences % WORDS_BETWEEN_CHECKS == 0) {
                    check.ensure();
                }
            }
        }
        return sentences;
    }

    private static boolean hasLetter(String text, int start, int end) {
        return text.substring(start, end).codePoints().anyMatch(Character::isLetterOrDigit);
    }

    /** Equally frequent words in the order of the alphabet, so that every analysis of a text finds the same. */
    private static List<String> mostFrequent(List<String> words) {
        Map<String, Integer> counts = new HashMap<>();
        words.forEach(word -> counts.merge(word, 1, Integer::sum));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(TOP_WORDS)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** LIX, rounded to a tenth. */
    private static double readability(List<String> words, long sentences) {
        if (words.isEmpty() || sentences == 0) {
            return 0;
        }
        long longWords = words.stream()
                .filter(word -> word.codePointCount(0, word.length()) > LONG_WORD)
                .count();
        double lix = (double) words.size() / sentences + 100.0 * longWords / words.size();
        return Math.round(lix * 10) / 10.0;
    }
}
