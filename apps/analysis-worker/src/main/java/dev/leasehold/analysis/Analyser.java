package dev.leasehold.analysis;

/** Does the work of a task. */
@FunctionalInterface
interface Analyser {
    /**
     * Analyses the text.
     *
     * @param check to be called between the steps; what it throws ends the work
     */
    Report analyse(String text, Check check) throws InterruptedException;

    /** Throws if the work must not go on: its lease was lost, or the process ends. */
    @FunctionalInterface
    interface Check {
        void ensure() throws InterruptedException;
    }
}
