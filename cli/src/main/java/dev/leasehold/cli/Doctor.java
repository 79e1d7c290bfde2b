package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUrl;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Looks at everything that {@code run} depends on, and finds what is wrong or weaker than it could be. */
final class Doctor {
    /** Beyond this, days and hours of {@code once --period} begin at noticeably different moments. */
    private static final Duration TOLERABLE_OFFSET = Duration.ofSeconds(1);

    private static final Duration SLOW = Duration.ofMillis(200);

    private static final Key PROBE = Key.of("leasehold/doctor");

    /** How bad it is. */
    enum Grade {
        OK("✓", "ok"),
        WEAKER("!", "warning"),
        WRONG("✗", "error");

        final String sign;
        final String word;

        Grade(String sign, String word) {
            this.sign = sign;
            this.word = word;
        }
    }

    /**
     * What was looked at.
     *
     * @param advice what to do; may be empty
     */
    record Finding(Grade grade, String subject, String text, String advice) {}

    private final StoreOptions options;
    private final List<Finding> findings = new ArrayList<>();
    private int code;

    Doctor(StoreOptions options) {
        this.options = options;
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    /** Of the worst that was found. */
    int code() {
        return code;
    }

    Doctor examine() throws InterruptedException {
        java();
        encoding();
        program("sh", Grade.WRONG);
        program("setsid", Grade.WEAKER);
        setpriv();
        program("ps", Grade.WEAKER);
        store();
        return this;
    }

    private void java() {
        add(
                Grade.OK,
                "java",
                Messages.text("doctor.java", Runtime.version(), System.getProperty("java.vm.vendor", "?")),
                "");
    }

    private void encoding() {
        String name = System.getProperty("sun.jnu.encoding", "UTF-8");
        if (Charset.isSupported(name) && Charset.forName(name).equals(StandardCharsets.UTF_8)) {
            add(Grade.OK, "encoding", name, "");
        } else {
            add(Grade.WEAKER, "encoding", name, Messages.text("doctor.encoding"));
        }
    }

    private void program(String name, Grade ifMissing) {
        Programs.find(name).ifPresentOrElse(path -> add(Grade.OK, name, path.toString(), ""), () -> {
            add(ifMissing, name, Messages.text("doctor.missing"), Messages.text("doctor.without-" + name));
            code = ifMissing == Grade.WRONG ? ExitCode.CONFIG : code;
        });
    }

    private void setpriv() {
        if (Child.pdeathsig().isPresent()) {
            add(Grade.OK, "setpriv", Child.pdeathsig().map(Path::toString).orElse(""), "");
        } else {
            add(Grade.WEAKER, "setpriv", Messages.text("doctor.missing"), Messages.text("doctor.without-setpriv"));
        }
    }

    private void store() throws InterruptedException {
        try {
            StoreUrl url = options.url();
            add(Grade.OK, "store", url.toString(), options.isDefault() ? Messages.text("doctor.default") : "");
            try (LeaseStore store = options.openInTime()) {
                speed(store);
                clock(store);
                history(store);
            }
            if (options.isDefault()) {
                permissions(Path.of(url.rest()).toAbsolutePath());
            }
        } catch (StoreUnavailableException e) {
            code = ExitCode.UNAVAILABLE;
            add(Grade.WRONG, "reach", String.valueOf(e.getMessage()), Messages.text("doctor.unreachable"));
        } catch (StoreException e) {
            code = ExitCode.CONFIG;
            add(Grade.WRONG, "settings", Main.advice(e), "");
        }
    }

    private void speed(LeaseStore store) {
        store.find(PROBE); // The first one opens connections.
        long start = System.nanoTime();
        store.find(PROBE);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        String text = Messages.text("doctor.answers", store.name(), millis(took));
        if (took.compareTo(SLOW) > 0) {
            add(Grade.WEAKER, "reach", text, Messages.text("doctor.slow"));
        } else {
            add(Grade.OK, "reach", text, "");
        }
        add(Grade.OK, "settings", Messages.text("doctor.settings"), "");
    }

    private static String millis(Duration time) {
        return String.format(java.util.Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
    }

    /** Leases do not need the same time everywhere. People who compare times do, and so do periods. */
    private void clock(LeaseStore store) {
        Instant before = Instant.now();
        List<LeaseSnapshot> any = store.list(ListRequest.of("").withLimit(1)).records();
        Instant after = Instant.now();
        if (any.isEmpty()) {
            add(Grade.OK, "clock", Messages.text("doctor.clock-unknown"), "");
            return;
        }
        Instant theirs = Instant.EPOCH.plus(Micros.toDuration(any.get(0).nowMicros()));
        Duration trip = Duration.between(before, after);
        Duration offset = Duration.between(before.plus(trip.dividedBy(2)), theirs);
        boolean isFar = offset.abs().compareTo(TOLERABLE_OFFSET.plus(trip)) > 0;
        add(
                isFar ? Grade.WEAKER : Grade.OK,
                "clock",
                Messages.text("doctor.clock", offset.toMillis(), trip.toMillis()),
                isFar ? Messages.text("doctor.clock-far") : "");
    }

    private void history(LeaseStore store) {
        if (store.history().isPresent()) {
            add(Grade.OK, "history", Messages.text("doctor.history"), "");
        } else {
            add(Grade.WEAKER, "history", Messages.text("doctor.no-history"), Messages.text("doctor.without-history"));
        }
    }

    /** Whoever can write into the default store can take leases away, and whoever can read it sees all keys. */
    private void permissions(Path file) {
        Path directory = file.getParent();
        try {
            if (directory == null || !Files.getFileStore(directory).supportsFileAttributeView("posix")) {
                return;
            }
            Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(directory);
            String text = directory + " " + PosixFilePermissions.toString(allowed);
            boolean isPrivate = allowed.stream()
                    .allMatch(permission -> permission == PosixFilePermission.OWNER_READ
                            || permission == PosixFilePermission.OWNER_WRITE
                            || permission == PosixFilePermission.OWNER_EXECUTE);
            if (isPrivate) {
                add(Grade.OK, "permissions", text, "");
            } else {
                add(Grade.WEAKER, "permissions", text, Messages.text("doctor.permissions", directory));
            }
        } catch (IOException e) {
            add(Grade.WEAKER, "permissions", e.toString(), "");
        }
    }

    private void add(Grade grade, String subject, String text, String advice) {
        findings.add(new Finding(grade, subject, text, advice));
    }
}
