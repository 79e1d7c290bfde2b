package dev.leasehold.redis;

import org.jspecify.annotations.Nullable;

/** What Redis answered: bytes, a number, a list of such, nothing, or an error. */
record Reply(@Nullable Object value) {}
