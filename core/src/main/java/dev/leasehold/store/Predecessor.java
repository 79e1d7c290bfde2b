package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/** The holder from whom an expired lease was taken over. */
public record Predecessor(@Nullable Owner owner, Fence fence) {}
