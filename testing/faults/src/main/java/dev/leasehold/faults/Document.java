package dev.leasehold.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page that is written by hand, but for some places in it. */
record Document(Path file) {
    /**
     * Puts a text into a place, instead of the one that is there.
     *
     * @param name of the place, which lies between two comments, such as {@code matrix} and {@code end of matrix}
     * @throws IllegalArgumentException if the document has no such place
     */
    void put(String text, String name) throws IOException {
        String begin = "<!-- " + name + " -->";
        String end = "<!-- end of " + name + " -->";
        String whole = Files.readString(file);
        Matcher place = Pattern.compile(begin + ".*?" + end, Pattern.DOTALL).matcher(whole);
        if (!place.find()) {
            throw new IllegalArgumentException(file + " has no place for it: " + begin + " … " + end + ".");
        }
        String replacement = begin + "\n" + text + end;
        Files.writeString(file, whole.substring(0, place.start()) + replacement + whole.substring(place.end()));
    }
}
