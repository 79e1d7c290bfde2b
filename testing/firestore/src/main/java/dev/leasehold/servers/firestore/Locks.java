package dev.leasehold.servers.firestore;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The locks of pessimistic transactions. A read lock is held until its transaction ends, on documents by name and on
 * queries by what they match; a write needs all that it changes to be free of other transactions' locks. Requests that
 * conflict are served in the order of arrival. Decides, and never waits: the engine does. Used under the engine's lock.
 */
class Locks {
    /** A read that is about to lock, or a commit. */
    static final class Request {
        private final @Nullable Transaction owner;
        private final Set<String> names;
        private final boolean isWrite;
        private Collection<Version> changes = List.of();

        Request(@Nullable Transaction owner, Collection<String> names, boolean isWrite) {
            this.owner = owner;
            this.names = Set.copyOf(names);
            this.isWrite = isWrite;
        }

        @Nullable
        Transaction owner() {
            return owner;
        }

        /** Sets the documents as they were and as they would be, to compare them with locked queries. */
        void changes(Collection<Version> versions) {
            changes = List.copyOf(versions);
        }

        private boolean conflictsWith(Request other) {
            boolean isSameOwner = owner != null && owner == other.owner;
            return !isSameOwner && (isWrite || other.isWrite) && !Collections.disjoint(names, other.names);
        }
    }

    private final Map<String, Set<Transaction>> readers = new HashMap<>();
    private final Set<Transaction> querying = new HashSet<>();
    private final List<Request> line = new ArrayList<>();

    void enter(Request request) {
        line.add(request);
    }

    void leave(Request request) {
        line.remove(request);
    }

    void hold(Transaction transaction, Collection<String> names) {
        transaction.names.addAll(names);
        names.forEach(name ->
                readers.computeIfAbsent(name, n -> new LinkedHashSet<>()).add(transaction));
    }

    void hold(Transaction transaction, Query query) {
        transaction.queries.add(query);
        querying.add(transaction);
    }

    void release(Transaction transaction) {
        querying.remove(transaction);
        for (String name : transaction.names) {
            Set<Transaction> holders = readers.get(name);
            if (holders != null && holders.remove(transaction) && holders.isEmpty()) {
                readers.remove(name);
            }
        }
    }

    /** Returns how many requests wait. */
    int waiting() {
        return line.size();
    }

    boolean isBlocked(Request request) {
        return !holders(request).isEmpty() || !earlier(request).isEmpty();
    }

    /** Returns the youngest transaction of a deadlock that the request is part of; null if it is part of none. */
    @Nullable
    Transaction victim(Request request) {
        List<Request> path = new ArrayList<>();
        if (!findCycle(request, request, path, new HashSet<>())) {
            return null;
        }
        Transaction youngest = null;
        for (Request waiting : path) {
            Transaction owner = waiting.owner;
            if (owner != null && (youngest == null || owner.isYoungerThan(youngest))) {
                youngest = owner;
            }
        }
        return youngest;
    }

    private boolean findCycle(Request from, Request to, List<Request> path, Set<Request> seen) {
        path.add(from);
        for (Request next : waitedFor(from)) {
            boolean isClosed = next == to || (to.owner != null && next.owner == to.owner);
            if (isClosed || (seen.add(next) && findCycle(next, to, path, seen))) {
                return true;
            }
        }
        path.remove(path.size() - 1);
        return false;
    }

    /** Returns the waiting requests that must go on before this one can. */
    private List<Request> waitedFor(Request request) {
        List<Request> result = new ArrayList<>(earlier(request));
        Set<Transaction> holders = holders(request);
        line.stream()
                .filter(waiting -> waiting.owner != null && holders.contains(waiting.owner))
                .forEach(result::add);
        return result;
    }

    /** Returns the other transactions whose locks are in the way. */
    private Set<Transaction> holders(Request request) {
        Set<Transaction> result = new LinkedHashSet<>();
        if (request.isWrite) {
            request.names.forEach(name -> result.addAll(readers.getOrDefault(name, Set.of())));
            for (Transaction transaction : querying) {
                if (transaction.queries.stream()
                        .anyMatch(query -> request.changes.stream().anyMatch(query::matches))) {
                    result.add(transaction);
                }
            }
            result.remove(request.owner);
        }
        return result;
    }

    /** Returns conflicting requests that came before, without those that wait for this request's own transaction. */
    private List<Request> earlier(Request request) {
        int place = line.indexOf(request);
        return line.subList(0, Math.max(place, 0)).stream()
                .filter(request::conflictsWith)
                .filter(before -> request.owner == null || !holders(before).contains(request.owner))
                .toList();
    }
}
