package dev.leasehold.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an analysis finds out.
 *
 * @param language its code, such as {@code en}; null if the text is too short to tell
 * @param readability the LIX number: words per sentence, and the share of words of more than six letters in percent. Below
 *     30 is easy, above 60 is hard
 * @param topWords the most frequent words, the most frequent first
 */
record Report(@Nullable String language, long words, long sentences, double readability, List<String> topWords) {
    Report {
        topWords = List.copyOf(topWords);
    }
}
