package dev.leasehold.analysis;

import java.text.BreakIterator;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Analyses a text in five steps, and makes sure before each that it may go on. */
final class TextAnalysis implements Analyser {
    private static final int TOP_WORDS = 10;
    private static final int LONG_WORD = 6;
    private static final int LONGEST_TOP_WORD = 100;
    private static final int WORDS_BETWEEN_CHECKS = 10_000;
    private static final int PIECE = 10_000;

    private final Languages languages = Languages.known();

    @Override
    public Report analyse(String text, Check check) throws InterruptedException {
        check.ensure();
        String normal = inPieces(text, piece -> Normalizer.normalize(piece, Normalizer.Form.NFC), check)
                .strip();
        String lower = inPieces(normal, TextAnalysis::lowerCase, check);
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

    /** What is done to a whole text at once takes time that grows with its square: for sigmas, and for runs of accents. */
    private static String inPieces(String text, UnaryOperator<String> change, Check check) throws InterruptedException {
        StringBuilder changed = new StringBuilder(text.length());
        int start = 0;
        while (start < text.length()) {
            int end = pieceEnd(text, start);
            changed.append(change.apply(text.substring(start, end)));
            start = end;
            check.ensure();
        }
        return changed.toString();
    }

    /** Before a blank, unless that is far away. */
    private static int pieceEnd(String text, int start) {
        int end = Math.min(text.length(), start + PIECE);
        int last = Math.min(text.length(), start + 2 * PIECE);
        while (end < last && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        boolean isHalf = end < text.length() && Character.isHighSurrogate(text.charAt(end - 1));
        return isHalf ? end + 1 : end;
    }

    /** Letter by letter, so that a word is the same wherever it stands. */
    private static String lowerCase(String text) {
        return text.codePoints()
                .map(Character::toLowerCase)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
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

    /**
     * Equally frequent words in the order of the alphabet, so that every analysis of a text finds the same. Words that are
     * longer than any language has are cut, so that the result stays small beside the text.
     */
    private static List<String> mostFrequent(List<String> words) {
        Map<String, Integer> counts = new HashMap<>();
        words.forEach(word -> counts.merge(cut(word), 1, Integer::sum));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(TOP_WORDS)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static String cut(String word) {
        return word.codePointCount(0, word.length()) <= LONGEST_TOP_WORD
                ? word
                : word.substring(0, word.offsetByCodePoints(0, LONGEST_TOP_WORD));
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
