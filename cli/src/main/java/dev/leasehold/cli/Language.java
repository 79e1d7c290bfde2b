package dev.leasehold.cli;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which language people are spoken to in. The JVM knows only locales that are installed, and the launcher changes one
 * variable for its sake; so the environment is read here as well.
 */
final class Language {
    private static final Pattern NAME = Pattern.compile("([a-z]{2,3})(?:[_-].*|\\..*|@.*)?");

    private Language() {}

    /**
     * What the JVM was told, unless that is the language it falls back to and the environment names another.
     *
     * @param environment LC_ALL, else LC_MESSAGES, else LANG decides, as POSIX has it
     */
    static Locale of(Locale jvm, Map<String, String> environment) {
        if (!jvm.getLanguage().equals("en")) {
            return jvm;
        }
        String wanted = environment.getOrDefault("LEASEHOLD_LC_ALL", environment.getOrDefault("LC_ALL", ""));
        for (String variable : new String[] {"LC_MESSAGES", "LANG"}) {
            wanted = wanted.isEmpty() ? environment.getOrDefault(variable, "") : wanted;
        }
        Matcher name = NAME.matcher(wanted);
        return name.matches() ? Locale.forLanguageTag(name.group(1)) : jvm;
    }
}
