package dev.leasehold.tck.history;

/** A promise that a history shows broken: which one, and by what. */
public record Violation(String promise, String what) {
    @Override
    public String toString() {
        return promise + ": " + what;
    }
}
