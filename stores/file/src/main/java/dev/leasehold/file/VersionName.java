package dev.leasehold.file;

import org.jspecify.annotations.Nullable;

/** The name of a version's file: {@code v}, its number, a dash and the life it belongs to. */
record VersionName(long number, String life) implements Comparable<VersionName> {
    static VersionName of(Version version) {
        return new VersionName(version.number(), version.life());
    }

    /** What the name says, or {@code null} if a version has no such name. */
    static @Nullable VersionName parse(String name) {
        int dash = name.indexOf('-');
        if (dash < 2 || name.charAt(0) != 'v') {
            return null;
        }
        try {
            VersionName parsed = new VersionName(Long.parseLong(name.substring(1, dash)), name.substring(dash + 1));
            return parsed.toString().equals(name) ? parsed : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    VersionName previous() {
        return new VersionName(number - 1, life);
    }

    VersionName next() {
        return new VersionName(number + 1, life);
    }

    @Override
    public int compareTo(VersionName other) {
        int byLife = life.compareTo(other.life);
        return byLife != 0 ? byLife : Long.compare(number, other.number);
    }

    @Override
    public String toString() {
        return "v" + number + "-" + life;
    }
}
