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

    /** Whether the connection can be used on: the server answered, if not as we hoped. */
    static boolean isHarmless(JedisException error) {
        return error instanceof JedisDataException answer && !isReadOnly(answer);
    }

    /** Whether the connection is gone, or the server, or it is not the one that takes writes any more. */
    static boolean isLost(JedisException error) {
        return error instanceof JedisConnectionException || !isHarmless(error);
    }

    static StoreException translate(JedisException error) {
        if (error instanceof JedisDataException answer) {
            String code = code(answer);
            boolean isPassing = PASSING.contains(code)
                    || String.valueOf(answer.getMessage()).contains("max number of clients");
            if (!isPassing) {
                return new StoreException("Redis refuses: " + error.getMessage(), error);
            }
        }
        return new StoreUnavailableException("Redis gave no answer of use: " + error.getMessage(), error);
    }
}
