package dev.leasehold.cli;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Nonce;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A lease as scripts carry it: nonce and fence in one word of letters, digits and a hyphen. Whoever has it can renew and
 * release the lease.
 */
record Token(Nonce nonce, Fence fence) {
    private static final Pattern SHAPE = Pattern.compile("([0-9a-fA-F]{32})-([1-9][0-9]{0,15})");

    LeaseRef of(Key key) {
        return new LeaseRef(key, nonce, fence);
    }

    /** The value of an argument without which the command line is refused before. */
    static Token required(@Nullable Token given) {
        if (given == null) {
            throw new IllegalStateException("There is no token.");
        }
        return given;
    }

    @Override
    public String toString() {
        return nonce + "-" + fence;
    }

    /** Reads what {@link Token#toString} wrote. */
    static final class Reader implements ITypeConverter<Token> {
        @Override
        public Token convert(String value) {
            Matcher matcher = SHAPE.matcher(value);
            if (!matcher.matches()) {
                // The value is not repeated: most of a secret is a secret.
                throw new TypeConversionException(Messages.text("token.invalid"));
            }
            try {
                return new Token(Nonce.parse(matcher.group(1)), Fence.of(Long.parseLong(matcher.group(2))));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Messages.text("token.invalid"));
            }
        }
    }
}
