package dev.leasehold.benchmarks;

/** The numbers that a row can have, in the order in which they are shown. */
enum Column {
    /** How many records the store has; for W7. */
    RECORDS("records", "records", 0),
    /** How many leases are kept alive; for W5 and W7. */
    LEASES("leases", "leases", 0),
    /** Median over the rounds; changes of owner for W3 and W3a. */
    PER_SECOND("opsPerSecond", "per s", 0),
    /** Turns, those of a thread that had the last one too included; for W3 and W3a. */
    TURNS("turnsPerSecond", "turns/s", 0),
    /** Turns by those of one thread alone in the same round, on the same key with the same work; for W3a. */
    VS_ALONE("vsAlone", "x alone", 2),
    /** Its rate by the floor's in the same round, median over the rounds; for W5 its CPU time by the floor's. */
    VS_FLOOR("vsFloor", "x floor", 2),
    P50("p50Micros", "p50 us", 0),
    P99("p99Micros", "p99 us", 0),
    /** Turns of the node or thread that had most by those of the one that had fewest; for W3 and W3a. */
    FAIRNESS("fairness", "most/least", 2),
    /** The longest time from the start of a release to the next grant, over all rounds; for W3 and W3a. */
    LONGEST_GAP("longestGapMillis", "longest gap ms", 1),
    /** Calls that gave up waiting; for W3 and W3a. */
    TIMEOUTS("timeouts", "timed out", 0),
    /** Statements, or commands to Redis, or requests to Firestore. */
    STATEMENTS_PER_OP("statementsPerOp", "stmts/op", 2),
    /** For W5. */
    STATEMENTS_PER_SECOND("statementsPerSecond", "stmts/s", 2),
    /** CPU time of the benchmark's own process; for W5. */
    CLIENT_CPU("clientCpuMillisPerSecond", "client ms/s", 1),
    /** CPU time of the server; for W5. */
    STORE_CPU("storeCpuMillisPerSecond", "store ms/s", 1),
    /** How many leases their holder knew to be lost at the end; for W5. */
    LOST("lost", "lost", 0),
    /** How often a key was held twice at once, which must be never. */
    OVERLAPS("overlaps", "overlaps", 0),
    /** How often a free key was refused. */
    REFUSALS("refusals", "refused", 0);

    /** Its name in JSON. */
    final String field;
    /** Its name in tables. */
    final String head;
    /** After the point, in tables. */
    final int digits;

    Column(String field, String head, int digits) {
        this.field = field;
        this.head = head;
        this.digits = digits;
    }
}
