package dev.leasehold.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;

/** What a command answered that was called in this process, in English. */
record Answer(int code, String out, String err) {
    static Answer of(String... arguments) {
        return in(Locale.ENGLISH, arguments);
    }

    static Answer in(Locale language, String... arguments) {
        Locale before = Locale.getDefault();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        try {
            Locale.setDefault(language);
            int code = Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
            return new Answer(code, out.toString(), err.toString());
        } finally {
            Locale.setDefault(before);
        }
    }

    /** Standard output without the numbers in it, which differ each time. */
    String shape() {
        return out.strip().replaceAll("\\d+", "N");
    }
}
