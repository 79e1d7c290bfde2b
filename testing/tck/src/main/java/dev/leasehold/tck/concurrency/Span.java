package dev.leasehold.tck.concurrency;

/** Bounds of a number that is not known exactly, such as a moment of the store's clock. Both belong to it. */
record Span(long from, long to) {
    /** Far enough for every clock and fence, and sums do not overflow. */
    static final Span ANY = new Span(Long.MIN_VALUE / 4, Long.MAX_VALUE / 4);

    static Span exactly(long value) {
        return new Span(value, value);
    }

    boolean isEmpty() {
        return from > to;
    }

    boolean isExact() {
        return from == to;
    }

    boolean has(long value) {
        return from <= value && value <= to;
    }

    Span plus(long distance) {
        return new Span(from + distance, to + distance);
    }

    /** The same with this much more on both sides. */
    Span wider(long slack) {
        return new Span(from - slack, to + slack);
    }

    Span and(Span other) {
        return new Span(Math.max(from, other.from), Math.min(to, other.to));
    }

    Span upTo(long most) {
        return new Span(from, Math.min(to, most));
    }

    Span since(long least) {
        return new Span(Math.max(from, least), to);
    }
}
