package dev.leasehold.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A document")
class DocumentTest {
    @TempDir
    private Path directory;

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("doc.md"), text);
    }

    @Test
    @DisplayName("has a new text in the place of the old one")
    void put() throws IOException {
        Path file = write("before\n<!-- matrix -->\nold $1\n<!-- end of matrix -->\nafter\n");
        new Document(file).put("new $2\n", "matrix");
        assertThat(file).hasContent("before\n<!-- matrix -->\nnew $2\n<!-- end of matrix -->\nafter");
    }

    @Test
    @DisplayName("must have a place for it")
    void noPlace() throws IOException {
        Document document = new Document(write("nothing\n"));
        assertThatThrownBy(() -> document.put("new", "matrix")).hasMessageContaining("has no place for it");
    }
}
