/** Results of runs as JSON: {@link dev.leasehold.jackson.JacksonCodec}. */
@NullMarked
package dev.leasehold.jackson;

import org.jspecify.annotations.NullMarked;
