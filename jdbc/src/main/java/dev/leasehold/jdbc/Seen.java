package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.State;

/** What a record was like when this process last saw it. */
record Seen(State state, Fence fence) {}
