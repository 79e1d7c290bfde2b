package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Drivers")
class DriversTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlite:some.db, org.sqlite.JDBC",
        "jdbc:postgresql://localhost/app, org.postgresql.Driver",
        "jdbc:mariadb://localhost/app, org.mariadb.jdbc.Driver",
        "jdbc:h2:mem:app, org.h2.Driver"
    })
    @DisplayName("are found by the scheme of a URL")
    void areFoundByScheme(String url, String driver) throws SQLException {
        assertThat(Drivers.find(url).getClass().getName()).isEqualTo(driver);
    }

    @ParameterizedTest
    @CsvSource({"jdbc:unknown:app", "jdbc:", "app"})
    @DisplayName("that are not there are missed")
    void areMissed(String url) {
        assertThatThrownBy(() -> Drivers.find(url)).isInstanceOf(SQLException.class);
    }

    @Test
    @DisplayName("get user and password, and open what the URL names")
    void open() throws SQLException {
        String url = "jdbc:h2:mem:drivers";
        UrlDataSource source = new UrlDataSource(url, "ana", "secret", Drivers.find(url));
        try (var first = source.getConnection()) {
            assertThat(first.getMetaData().getUserName()).isEqualToIgnoringCase("ana");
            UrlDataSource stranger = new UrlDataSource(url, "ana", "guess", Drivers.find(url));
            assertThatThrownBy(stranger::getConnection).isInstanceOf(SQLException.class);
        }
    }
}
