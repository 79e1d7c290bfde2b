package dev.leasehold.spring.http;

import dev.leasehold.once.http.HttpProfile;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The requests of this controller method are done once for each {@code Idempotency-Key} of a caller: the first reply is kept,
 * and sent again to the same request.
 *
 * <p>A reply is kept if the method returns it with a status below 500, other than 408, 425 and 429. What the method throws is
 * not kept, and the next request runs; {@link dev.leasehold.once.TerminalException} is kept. Kept are status, body and the
 * headers of {@link dev.leasehold.once.http.Reply#KEPT_HEADERS}, never cookies or credentials.
 *
 * <p>Only for methods that write a body of limited size: not for views, streams, asynchronous values or uploads of files.
 * The start fails for those. Times are written as in Spring Boot's properties, such as {@code 36h}, and may be placeholders.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {
    /** The kind of caller, which decides what is answered to a request that is worked on, or failed. */
    HttpProfile profile() default HttpProfile.CLIENT;

    /** How long the reply is kept. After that the key is new. */
    String retain() default "1d";

    /** How long a request waits while the same request is worked on, before it is answered 409. */
    String waitFor() default "0s";

    /** How long the work may take, before others may start it anew. */
    String longestRun() default "10m";

    /** Whether a request without the header is answered 400. If not, it is done as if there were no annotation. */
    boolean required() default true;
}
