package dev.leasehold.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of the jar, as its manifest has it. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"leasehold " + (version == null ? "0.1.0-SNAPSHOT" : version)};
    }
}
