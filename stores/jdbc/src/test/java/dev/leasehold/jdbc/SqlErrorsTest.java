package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What a database says of a value that it refuses")
class SqlErrorsTest {
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "MYSQL | Duplicate entry 'SECRET one' for key 'jobs.title' | Duplicate entry '…'",
                "MYSQL | Duplicate entry 'SECRET one | Duplicate entry '…'",
                "MYSQL | Incorrect integer value: 'SECRET one | Incorrect integer value: '…'",
                "POSTGRESQL | ERROR: invalid input syntax for type date: \"SECRET\" | ERROR: invalid input syntax for type date: \"…\"",
                "POSTGRESQL | ERROR: invalid input syntax for type date: \"SECRET one | ERROR: invalid input syntax for type date: \"…\"",
                "POSTGRESQL | ERROR: value \"SECRET\" is out of range | ERROR: value \"…\" is out of range",
                "H2 | Cannot parse \"DATE\" constant \"SECRET one\" | Cannot parse \"DATE\" constant \"…\"",
                "H2 | Cannot parse \"INTERVAL\" constant \"SECRET one | Cannot parse \"INTERVAL\" constant \"…\"",
                "H2 | Value not permitted for column \"('a', 'b')\": \"SECRET\" | Value not permitted for column \"('…')\": \"…\"",
            })
    @DisplayName("is told without the value")
    void withoutValues(Dialect dialect, String said, String told) {
        SQLException error = new SQLException(said + "\nsecond line SECRET", "22000");
        assertThat(SqlErrors.withoutValues(error, dialect)).isEqualTo(told);
    }
}
