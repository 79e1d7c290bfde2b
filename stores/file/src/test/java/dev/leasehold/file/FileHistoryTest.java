package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.StoreUnavailableException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The files of a history")
class FileHistoryTest {
    private static final Key KEY = Key.of("report");

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private final ManualClock clock = new ManualClock();

    private History open(Disk disk) {
        return new FileHistory(directory, disk, clock);
    }

    private History open() {
        return open(new Disk(Disk.Probe.NONE));
    }

    private static HistoryNote note(String reason) {
        return HistoryNote.of(KEY, HistoryKind.SKIPPED).withReason(reason);
    }

    private static void append(History history, String... reasons) {
        history.append(List.of(reasons).stream().map(FileHistoryTest::note).toList());
    }

    private static List<String> reasons(List<HistoryEntry> entries) {
        return entries.stream().map(HistoryEntry::reason).toList();
    }

    private List<String> all() {
        return reasons(open().read(HistoryRequest.of("").after(0).withLimit(1_000)));
    }

    @Test
    @DisplayName("are the same in a language with digits of its own")
    void digitsOfALanguage() throws IOException {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        try {
            append(open(), "a");
            append(open(), "b");
        } finally {
            Locale.setDefault(before);
        }
        assertThat(all()).containsExactly("a", "b");
    }

    /** Appends from classes of its own. */
    static final class Appender implements Callable<Integer> {
        private final Path directory;

        Appender(Path directory) {
            this.directory = directory;
        }

        @Override
        public Integer call() {
            History history = new FileHistory(directory, new Disk(Disk.Probe.NONE), System::nanoTime);
            for (int i = 0; i < 100; i++) {
                append(history, "x");
            }
            return 100;
        }
    }

    @Test
    @DisplayName("are written by turns also when two class loaders of one process have the store's classes")
    void twoClassLoaders() throws Exception {
        URL[] classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(FileHistoryTest::url)
                .toArray(URL[]::new);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (URLClassLoader one = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader());
                URLClassLoader other = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
            for (Future<?> result : threads.invokeAll(List.of(appender(one), appender(other)))) {
                assertThat(result.get()).isEqualTo(100);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(all()).hasSize(200);
    }

    @SuppressWarnings("unchecked")
    private Callable<Object> appender(ClassLoader loader) throws ReflectiveOperationException {
        Constructor<?> constructor = loader.loadClass(Appender.class.getName()).getDeclaredConstructor(Path.class);
        constructor.setAccessible(true);
        return (Callable<Object>) constructor.newInstance(directory);
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Path> segments() throws IOException {
        return StoreFiles.below(directory).stream()
                .filter(file -> !file.endsWith("lock"))
                .toList();
    }

    @Test
    @DisplayName("J09 are read up to the last whole line: what is being written is seen later, and not missed")
    void halfALineIsLeftForLater() throws IOException {
        History history = open();
        append(history, "first", "second");
        Path file = segments().get(0);
        byte[] whole = Files.readAllBytes(file);
        for (int length = whole.length - 1; length > whole.length - 20; length--) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(all()).containsExactly("first");
        }
        long first = history.read(HistoryRequest.of(KEY)).get(0).number();
        Files.write(file, whole);
        assertThat(reasons(history.read(HistoryRequest.of(KEY).after(first)))).containsExactly("second");
    }

    @Test
    @DisplayName("J09 lose nothing but what a writer that died had not finished")
    void diedInTheMiddle() {
        AtomicBoolean isDying = new AtomicBoolean();
        History history = open(new Disk((step, path) -> {
            if (step == DiskStep.WRITE_REST && isDying.get()) {
                throw new IOException("as the test wants");
            }
        }));
        append(history, "before");
        isDying.set(true);
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> append(history, "half"));
        isDying.set(false);
        append(history, "after");

        assertThat(all()).containsExactly("before", "after");
    }

    @Test
    @DisplayName("J09 with damaged lines give all the others")
    void damagedLines() throws IOException {
        append(open(), "first", "second", "third");
        Path file = segments().get(0);
        String text = Files.readString(file);
        Files.writeString(file, text.replace("second", "secomd"));
        Files.writeString(file, "nonsense\n\n\tx\t\n", StandardOpenOption.APPEND);

        assertThat(all()).containsExactly("first", "third");
    }

    @Test
    @DisplayName("J07 are begun every hour, and each goes when its last entry is old enough")
    void oneFilePerHour() throws IOException {
        History history = open();
        for (int hour = 0; hour < 4; hour++) {
            append(history, "hour " + hour);
            clock.advance(Duration.ofMinutes(30));
            append(history, "half past " + hour);
            clock.advance(Duration.ofMinutes(30));
        }
        assertThat(segments()).hasSize(4);
        assertThat(history.forget(Duration.ofMinutes(160), 100)).isEqualTo(2);
        assertThat(segments()).hasSize(3);
        assertThat(all()).startsWith("hour 1").hasSize(6);
    }

    @Test
    @DisplayName("J07 are begun anew when one is large")
    void largeFile() throws IOException {
        History history = open();
        HistoryNote large = note("x".repeat(HistoryNote.MAX_REASON_BYTES));
        for (int i = 0; i < 5; i++) {
            history.append(Collections.nCopies(1_000, large));
        }
        append(history, "last");
        assertThat(segments()).hasSize(2);
        assertThat(reasons(history.read(HistoryRequest.of("").withLimit(1)))).containsExactly("last");
        long before = history.read(HistoryRequest.of("").withLimit(2)).get(1).number();
        assertThat(reasons(history.read(HistoryRequest.of("").after(before)))).containsExactly("last");
    }

    @Test
    @DisplayName("J07 that are deleted while somebody reads are no error")
    void deletedWhileReading() throws IOException {
        append(open(), "first");
        clock.advance(FileHistory.SPAN);
        append(open(), "second");
        Path first = segments().get(0);
        History history = open(new Disk((step, path) -> {
            if (step == DiskStep.READ) {
                Files.deleteIfExists(first);
            }
        }));
        assertThat(reasons(history.read(HistoryRequest.of("").after(0)))).containsExactly("second");
    }

    @Test
    @DisplayName("J08 may stand beside others, which are left alone")
    void foreignFiles() throws IOException {
        append(open(), "first");
        Files.writeString(directory.resolve("notes.txt"), "buy milk");
        clock.advance(Duration.ofDays(2));
        assertThat(open().forget(Duration.ofDays(1), 10)).isEqualTo(1);
        assertThat(directory.resolve("notes.txt")).exists();
        assertThat(all()).isEmpty();
    }
}
