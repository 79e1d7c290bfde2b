/** {@link dev.leasehold.servers.opensearch.Main} is an OpenSearch node in a process of its own. */
@NullMarked
package dev.leasehold.servers.opensearch;

import org.jspecify.annotations.NullMarked;
