package dev.leasehold.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.commands.ProtocolCommand;

/**
 * Something to be asked of Redis: a script with its keys and arguments, or a command. Two calls are never the same, since
 * the same may be asked twice at once.
 */
final class Call {
    private final ProtocolCommand command;
    private final @Nullable Script script;
    private final List<byte[]> keys;
    private final List<byte[]> words;
    private final boolean isAsking;

    private Call(
            ProtocolCommand command, @Nullable Script script, List<byte[]> keys, List<byte[]> words, boolean isAsking) {
        this.command = command;
        this.script = script;
        this.keys = keys;
        this.words = words;
        this.isAsking = isAsking;
    }

    static Call of(Script script, byte[] key, byte[]... arguments) {
        return of(script, List.of(key), List.of(arguments));
    }

    /** About several keys of one slot. */
    static Call of(Script script, List<byte[]> keys, List<byte[]> arguments) {
        return new Call(Command.EVALSHA, script, keys, arguments, false);
    }

    /** A command about no key. */
    static Call of(ProtocolCommand command, byte[]... words) {
        return new Call(command, null, List.of(), List.of(words), false);
    }

    /** The same, to a node that is about to be given the key's slot. */
    Call asking() {
        return new Call(command, script, keys, words, true);
    }

    /** The same for each key alone. Only for a script that has as many words for each key, and answers with a list. */
    List<Call> perKey() {
        List<Call> parts = new ArrayList<>(keys.size());
        int each = keys.isEmpty() ? 0 : words.size() / keys.size();
        for (int i = 0; i < keys.size(); i++) {
            List<byte[]> own = words.subList(i * each, (i + 1) * each);
            parts.add(new Call(command, script, List.of(keys.get(i)), own, isAsking));
        }
        return parts;
    }

    boolean isAsking() {
        return isAsking;
    }

    boolean isScript() {
        return script != null;
    }

    /** By which its node is found. */
    byte[] key() {
        return keys.get(0);
    }

    /** Puts it into the connection's buffer. */
    void send(Connection connection) {
        Script known = script;
        if (known == null) {
            send(connection, new CommandArguments(command));
        } else {
            send(connection, new CommandArguments(command).add(known.digest).add(Bytes.of(keys.size())));
        }
    }

    /** The same with the whole text of the script, for a server that does not know it yet. */
    void sendWhole(Connection connection, Script whole) {
        send(connection, new CommandArguments(Command.EVAL).add(whole.text).add(Bytes.of(keys.size())));
    }

    @Nullable
    Script script() {
        return script;
    }

    private void send(Connection connection, CommandArguments arguments) {
        if (isAsking) {
            connection.sendCommand(Command.ASKING);
        }
        keys.forEach(arguments::add);
        words.forEach(arguments::add);
        connection.sendCommand(arguments);
    }
}
