package dev.leasehold.servers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a JDBC URL that matter here.
 *
 * @param server everything before the database, without the slash
 * @param parameters everything after the database, with the question mark, but without user and password
 */
record JdbcUrl(String server, String database, String parameters, String user, String password) {
    private static final Pattern SHAPE = Pattern.compile("(jdbc:[a-z]+://[^/?]*)/?([^?]*)(\\?.*)?");

    static JdbcUrl parse(String text) {
        Matcher matcher = SHAPE.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "Not a URL such as jdbc:postgresql://host:5432/name?user=me&password=secret: " + text);
        }
        String user = "";
        String password = "";
        List<String> others = new ArrayList<>();
        String query = matcher.group(3) == null ? "" : matcher.group(3).substring(1);
        for (String parameter : query.split("&", -1)) {
            if (parameter.startsWith("user=")) {
                user = value(parameter);
            } else if (parameter.startsWith("password=")) {
                password = value(parameter);
            } else if (!parameter.isEmpty()) {
                others.add(parameter);
            }
        }
        String parameters = others.isEmpty() ? "" : "?" + String.join("&", others);
        return new JdbcUrl(matcher.group(1), matcher.group(2), parameters, user, password);
    }

    JdbcUrl withDatabase(String name) {
        return new JdbcUrl(server, name, parameters, user, password);
    }

    JdbcUrl withUser(String name, String secret) {
        return new JdbcUrl(server, database, parameters, name, secret);
    }

    /** The URL without user and password. */
    String text() {
        return server + "/" + database + parameters;
    }

    private static String value(String parameter) {
        return URLDecoder.decode(parameter.substring(parameter.indexOf('=') + 1), StandardCharsets.UTF_8);
    }
}
