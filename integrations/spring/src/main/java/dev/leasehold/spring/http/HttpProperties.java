package dev.leasehold.spring.http;

import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of requests that are done once.
 *
 * @param maxRequestBody Frequent: the largest body of an idempotent request; a larger one is answered 413.
 * @param maxReply Frequent: the largest body of a reply that is kept; a larger one is answered 500, and the work is not done
 *     again.
 * @param keptHeaders Frequent: headers of replies that are kept besides the usual ones. Cookies and credentials are never kept.
 * @param allowAnonymous Rare: whether callers without a principal may use keys, which they then share with each other.
 * @param strictKeys Rare: whether a key without double quotes is malformed.
 * @param scope Rare: keeps the keys of several applications on one store apart.
 */
@ConfigurationProperties("leasehold.http")
public record HttpProperties(
        @DefaultValue("1MB") DataSize maxRequestBody,
        @DefaultValue("1MB") DataSize maxReply,
        @DefaultValue Set<String> keptHeaders,
        @DefaultValue("false") boolean allowAnonymous,
        @DefaultValue("false") boolean strictKeys,
        @DefaultValue("${spring.application.name:}") String scope) {}
