package dev.leasehold.analysis;

import java.util.List;

/**
 * The application in a process of its own, with an analysis that takes the milliseconds its text begins with, and reports
 * its name and process. One that is careless never looks at its lease.
 */
final class SlowWorker {
    private SlowWorker() {}

    public static void main(String[] arguments) {
        String name = arguments[0];
        Analyser slow = (text, check) -> {
            int millis = Integer.parseInt(text.split(" ", 2)[0]);
            for (int i = 0; i < 5; i++) {
                if (!text.endsWith("careless")) {
                    check.ensure();
                }
                Thread.sleep(millis / 5);
            }
            return Gate.report(name + " "
                    + ProcessHandle.current()
                            .pid()); // Without a last look at the lease: the store must refuse what comes too late.
        };
        Parts usual = Parts.USUAL;
        Main.start(Settings.of(List.of(), System.getenv()), new Parts(slow, usual.clockwork(), usual.stopGrace()));
    }
}
