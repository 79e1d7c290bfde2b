/**
 * Leases in files, for the processes of one host.
 *
 * <p>Start at {@link dev.leasehold.file.FileLeaseStore}: a directory of any number of leases. The other three keep a
 * single lease in a single file, which is what a tool that guards one project wants:
 * {@link dev.leasehold.file.OsLockStore} lets the operating system end it, {@link dev.leasehold.file.LockFileStore}
 * lets time end it, and {@link dev.leasehold.file.FallbackLeaseStore} goes from the one to the other.
 */
@NullMarked
package dev.leasehold.file;

import org.jspecify.annotations.NullMarked;
