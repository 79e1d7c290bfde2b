package dev.leasehold.jdbc;

import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database of a test class's own, for the kit: made before its first test, dropped after its last. */
final class FreshDatabase implements BeforeAllCallback, AfterAllCallback {
    private final Function<Path, TestDatabase> kind;
    private final StoreTraits traits;
    private @Nullable Path directory;
    private @Nullable TestDatabase database;

    private FreshDatabase(Function<Path, TestDatabase> kind, StoreTraits traits) {
        this.kind = kind;
        this.traits = traits;
    }

    static FreshDatabase postgres(int major) {
        return new FreshDatabase(
                directory -> TestDatabase.postgres(major),
                StoreTraits.inMovedTime().tellingWakeUps());
    }

    static FreshDatabase of(Kind kind) {
        StoreTraits traits = StoreTraits.inMovedTime();
        return switch (kind) {
            case POSTGRESQL -> postgres(18);
            case MARIADB -> new FreshDatabase(kind::fresh, traits);
            case H2 -> new FreshDatabase(kind::fresh, traits.withTick(Duration.ofMillis(1)));
            case SQLITE ->
                new FreshDatabase(
                        kind::fresh, traits.withTick(Duration.ofMillis(1)).withOperations(1_000));
        };
    }

    StoreUnderTest underTest() {
        return new SqlUnderTest(source(), traits);
    }

    DataSource source() {
        return Objects.requireNonNull(database).source();
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Path fresh = Files.createTempDirectory("leasehold");
        directory = fresh;
        database = kind.apply(fresh);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Objects.requireNonNull(database).close();
        try (Stream<Path> files = Files.walk(Objects.requireNonNull(directory))) {
            List<Path> innermostFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : innermostFirst) {
                Files.deleteIfExists(file);
            }
        }
    }
}
