package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Stores;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A directory by its URL")
class FileStoreProviderTest {
    @ParameterizedTest(name = "{0}DIRECTORY is a store in it")
    @ValueSource(strings = {"file:", "file://"})
    void isAStore(String scheme, @TempDir Path parent) {
        Path directory = parent.resolve("leases");
        try (LeaseStore store = Stores.open(scheme + directory)) {
            assertThat(store.name()).isEqualTo("file");
        }
        assertThat(directory).isDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"file://me:s3cret@host/x", "file:// me:s3cret@host/x", "file:x?password=s3cret"})
    @DisplayName("with a password is refused, and neither the message nor a cause shows it")
    void showsNoPassword(String url) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open(url))
                .satisfies(refusal -> {
                    StringWriter trace = new StringWriter();
                    refusal.printStackTrace(new PrintWriter(trace, true));
                    assertThat(trace.toString()).doesNotContain("s3cret");
                });
    }

    @ParameterizedTest(name = "\"{0}\" is refused")
    @ValueSource(strings = {"file:", "file: ", "file://host/share", "file:a\0b"})
    void whatIsNoDirectoryIsRefused(String url) {
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> Stores.open(url));
    }
}
