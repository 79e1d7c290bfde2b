package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.State;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lists the user's rows in the order of their keys. */
final class RowListing {
    private static final List<State> STATES = List.of(State.FREE, State.HELD, State.DONE, State.FAILED);

    private final RowTable table;
    private final RowStatements statements;

    RowListing(RowTable table, RowStatements statements) {
        this.table = table;
        this.statements = statements;
    }

    Page list(Lane lane, ListRequest request) throws SQLException {
        Optional<String> prefix = rest(request.prefix());
        Optional<String> after = after(request.after());
        List<LeaseSnapshot> found = new ArrayList<>();
        if (prefix.isEmpty() || after.isEmpty()) {
            return new Page(found, null);
        }
        String last = after.get();
        while (true) {
            List<RowSight> rows = query(lane, request, prefix.get(), last);
            for (RowSight row : rows) {
                last = row.keyText();
                Optional<Key> key = key(row);
                if (key.isPresent() && found.size() == request.limit()) {
                    return new Page(found, found.get(found.size() - 1).key());
                }
                key.ifPresent(one -> found.add(row.snapshot(table, one)));
            }
            if (rows.size() <= request.limit()) {
                return new Page(found, null);
            }
        }
    }

    private List<RowSight> query(Lane lane, ListRequest request, String prefix, String after) throws SQLException {
        Parameters parameters = table.parameters(lane, 0L)
                .keyText("after", after)
                .keyText("prefix", prefix)
                .keyText("end", Prefix.end(prefix))
                .number("limit", request.limit() + 1L);
        for (int i = 0; i < STATES.size(); i++) {
            State state = STATES.get(i);
            parameters.text("abcd".substring(i, i + 1), request.states().contains(state) ? Rows.code(state) : "-");
        }
        return lane.query(statements.list, parameters, row -> RowSight.readRecord(row, table));
    }

    /** Rows whose key could not be that of a lease are left out. */
    private Optional<Key> key(RowSight row) {
        try {
            return Optional.of(Key.of(table.mapping.keyPrefix() + row.keyText()));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What the text of a row's key begins with; empty if no row's key can begin with the prefix. */
    private Optional<String> rest(String prefix) {
        String own = table.mapping.keyPrefix();
        if (own.startsWith(prefix)) {
            return Optional.of("");
        }
        return prefix.startsWith(own) ? Optional.of(prefix.substring(own.length())) : Optional.empty();
    }

    /** The text after which to go on; empty if all rows come before. */
    private Optional<String> after(@Nullable Key last) {
        String own = table.mapping.keyPrefix();
        if (last == null) {
            return Optional.of("");
        }
        if (last.value().startsWith(own)) {
            return Optional.of(last.value().substring(own.length()));
        }
        return last.compareTo(Key.of(own)) < 0 ? Optional.of("") : Optional.empty();
    }
}
