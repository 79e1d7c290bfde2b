package dev.leasehold.lease;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The default owner label of this process: {@code N@host}. */
final class ThisProcess {
    /** Looked up once: asking for the host's name can be slow. */
    static final String NAME = ProcessHandle.current().pid() + "@" + host();

    private ThisProcess() {}

    private static String host() {
        String fromEnvironment = System.getenv("HOSTNAME");
        if (fromEnvironment != null && fromEnvironment.matches("[\\p{Graph}]{1,200}")) {
            return fromEnvironment;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }
}
