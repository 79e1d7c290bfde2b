package dev.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A guide's pieces of code, with the places that they speak of replaced by places of the test. */
final class Guide {
    private static final Pattern BLOCK = Pattern.compile("(?m)^```(\\w+)\\n(.*?)^```$", Pattern.DOTALL);

    /** A piece of code and what language it is in. */
    record Block(String language, String code) {}

    private final List<Block> blocks = new ArrayList<>();

    private Guide() {}

    static Guide read(Path file, Map<String, String> places) throws IOException {
        Guide guide = new Guide();
        Matcher found = BLOCK.matcher(Files.readString(file));
        while (found.find()) {
            String code = found.group(2);
            for (Map.Entry<String, String> place : places.entrySet()) {
                code = code.replace(place.getKey(), place.getValue());
            }
            guide.blocks.add(new Block(found.group(1), code));
        }
        return guide;
    }

    List<String> in(String language) {
        return blocks.stream()
                .filter(block -> block.language().equals(language))
                .map(Block::code)
                .toList();
    }

    /** So that no piece of code goes unnoticed. */
    List<String> languages() {
        return blocks.stream().map(Block::language).distinct().sorted().toList();
    }
}
