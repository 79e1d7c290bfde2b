package dev.leasehold.spring.observe;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of meters, spans and log lines.
 *
 * @param names Frequent: the names of locks and runs that are measured by themselves. A name is a key, or a template such as
 *     sync/* in which an asterisk stands for any text without a slash. All other keys are measured as "other".
 * @param mostNames Rare: how many names there may be, those of annotations included; those that come later are "other".
 */
@ConfigurationProperties("leasehold.observe")
public record ObserveProperties(
        @DefaultValue List<String> names,
        @DefaultValue("100") int mostNames) {}
