/**
 * The command {@code leasehold}. Starts at {@link dev.leasehold.cli.Main}; {@code run} is read from
 * {@link dev.leasehold.cli.RunCommand} to {@link dev.leasehold.cli.Guard} and {@link dev.leasehold.cli.Child}.
 */
@NullMarked
package dev.leasehold.cli;

import org.jspecify.annotations.NullMarked;
