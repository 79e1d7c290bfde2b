package dev.leasehold.cli;

import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** Where the libraries' log goes: warnings to standard error, in one line each, and nothing else anywhere. */
public final class Loggers extends System.LoggerFinder {
    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Plain(name);
    }

    private record Plain(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return level.compareTo(Level.WARNING) >= 0 && level != Level.OFF;
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String text, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                System.err.println("leasehold: " + Messages.clean(text + (thrown == null ? "" : ": " + thrown)));
            }
        }

        @Override
        public void log(
                Level level, @Nullable ResourceBundle bundle, @Nullable String format, @Nullable Object... data) {
            boolean isPattern = format != null && data != null && data.length > 0;
            log(level, bundle, isPattern ? new MessageFormat(format, Locale.ROOT).format(data) : format, (Throwable)
                    null);
        }
    }
}
