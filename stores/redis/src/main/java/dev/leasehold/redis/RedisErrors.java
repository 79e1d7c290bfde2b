package dev.leasehold.redis;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What Redis's errors mean to us. Decided by their codes, which are their first words. */
final class RedisErrors {
    /** Of an answer, or within what a script says about the command of its own that failed: Redis before 7. */
    private static final Pattern CODE = Pattern.compile("(?:^|: -)([A-Z]+)\\b");

    /** Nothing was done, and later it may be. */
    private static final Set<String> PASSING = Set.of(
            "READONLY",
            "LOADING",
            "MASTERDOWN",
            "NOREPLICAS",
            "MISCONF",
            "OOM",
            "BUSY",
            "CLUSTERDOWN",
            "NOSCRIPT", // The scripts were forgotten while we told them.
            "TRYAGAIN",
            "MOVED",
            "ASK");

    private RedisErrors() {}

    private static String code(JedisDataException error) {
        String code = "";
        Matcher codes = CODE.matcher(String.valueOf(error.getMessage()));
        while (codes.find()) {
            code = codes.group(1);
        }
        return code;
    }

    static boolean isReadOnly(JedisDataException error) {
        return code(error).equals("READONLY");
    }

    /** Whether the node does not serve the slot. Another node may do so now, which this one need not know. */
    static boolean isClusterDown(JedisException error) {
        return error instanceof JedisDataException answer && code(answer).equals("CLUSTERDOWN");
    }

    /** Returns whether the keys of the call are at two nodes, because their slot is being moved. */
    static boolean isTryAgain(JedisDataException error) {
        return code(error).equals("TRYAGAIN");
    }

    /** Whether the connection can be used on: the server answered, if not as we hoped. */
    static boolean isHarmless(JedisException error) {
        return error instanceof JedisDataException answer && !isReadOnly(answer);
    }

    /** Whether the connection is gone, or the server, or it is not the one that takes writes any more. */
    static boolean isLost(JedisException error) {
        return error instanceof JedisConnectionException || !isHarmless(error);
    }

    /** Whether something that is not a record of ours is in the place of one. */
    static boolean isForeign(JedisException error) {
        return error instanceof JedisDataException answer
                && (code(answer).equals("FOREIGN") || says(answer, "WRONGTYPE "));
    }

    /** @param place the name in Redis, prefix included */
    static StoreException foreign(byte[] place, JedisException error) {
        return new StoreException(
                "The name \"" + Bytes.text(place) + "\" in Redis is used by another program, so there can be no lease:"
                        + " what is there is no record of Leasehold (" + error.getMessage()
                        + "). Rename it, or open the store with another prefix.",
                error);
    }

    /**
     * Whether the server withholds a command from this user. Each provider says that in words of its own, so this is every
     * answer that is not known to stop all other commands too.
     */
    static boolean isWithheld(StoreException error) {
        return error.getCause() instanceof JedisDataException answer
                && !isPassing(answer)
                && !code(answer).equals("DENIED") // Protected mode.
                && advice(answer).isEmpty();
    }

    /** Whether the caller may ask again: nothing was done, and later it may be. */
    static boolean isPassing(JedisException error) {
        return !(error instanceof JedisDataException answer)
                || PASSING.contains(code(answer))
                || says(answer, "max number of clients");
    }

    private static boolean says(JedisException error, String words) {
        return String.valueOf(error.getMessage()).contains(words);
    }

    static StoreException translate(JedisException error) {
        return isPassing(error)
                ? new StoreUnavailableException(
                        "Redis gave no answer of use: " + error.getMessage() + TlsCheck.advice(error), error)
                : new StoreException("Redis refuses: " + error.getMessage() + advice(error), error);
    }

    private static String advice(JedisException error) {
        if (says(error, "NOAUTH")) {
            return " Give a password: redis://user:password@host, or beside the URL.";
        }
        if (says(error, "WRONGPASS")
                || says(error, "ERR invalid password")
                || says(error, "without any password")
                || says(error, "for 'auth' command")) {
            return " The user or the password is wrong: change them in the URL, or beside it.";
        }
        if (says(error, "DB index") || says(error, "SELECT is not allowed")) {
            return " The server has no database with this number: change it in the URL, as in redis://host/0.";
        }
        return "";
    }
}
