package dev.leasehold.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

final class SqlSession implements Session {
    private final Connection connection;

    private SqlSession(Connection connection) {
        this.connection = connection;
    }

    static SqlSession open(SqlServer server) throws SQLException {
        return new SqlSession(server.connect());
    }

    static SqlSession open(Database database) throws SQLException {
        return new SqlSession(DriverManager.getConnection(database.url(), database.user(), database.password()));
    }

    @Override
    public void waitAtMost(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    @Override
    public void put(String word) throws SQLException {
        run("CREATE TABLE IF NOT EXISTS words (word varchar(100))");
        run("INSERT INTO words VALUES ('" + word + "')");
    }

    @Override
    public List<String> words() throws SQLException {
        return ask("SELECT word FROM words ORDER BY word");
    }

    List<String> ask(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> answers = new ArrayList<>();
            while (rows.next()) {
                answers.add(rows.getString(1));
            }
            return answers;
        }
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
