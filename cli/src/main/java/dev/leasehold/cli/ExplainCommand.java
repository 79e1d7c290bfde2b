package dev.leasehold.cli;

import dev.leasehold.lease.LeaseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code leasehold explain}: what an exit code or the code of an error means, and what to do about it. */
@Command(name = "explain", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {
    private static final List<Integer> OURS = List.of(
            0,
            ExitCode.BUSY,
            ExitCode.USAGE,
            ExitCode.UNAVAILABLE,
            ExitCode.BUG,
            ExitCode.CONFIG,
            ExitCode.LOST,
            ExitCode.TIMEOUT,
            ExitCode.NOT_EXECUTABLE,
            ExitCode.NOT_FOUND);
    private static final int LAST_SIGNAL = 64;

    /** What a code means. */
    private record Explanation(String code, String meaning, String advice) {
        Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("code", code);
            fields.put("meaning", meaning);
            fields.put("advice", advice);
            return fields;
        }
    }

    @Mixin
    private Output output = new Output();

    @Parameters(arity = "0..1", paramLabel = "CODE", descriptionKey = "CODE", defaultValue = "")
    private String code = "";

    @Override
    public Integer call() {
        if (code.isEmpty()) {
            list();
            return 0;
        }
        Explanation found = explain(code).orElseThrow(() -> output.misuse("explain.unknown", code));
        if (output.isJson()) {
            output.printJson(found.fields());
        } else {
            output.print(found.code() + ": " + found.meaning());
            output.print(found.advice());
        }
        return 0;
    }

    private void list() {
        List<Explanation> all = new ArrayList<>();
        OURS.forEach(number -> all.add(ours(Integer.toString(number))));
        all.add(new Explanation("128+N", Messages.text("explain.signal"), Messages.text("explain.signal.advice")));
        errorCodes().forEach(name -> all.add(ours(name)));
        if (output.isJson()) {
            output.printJson(all.stream().map(Explanation::fields).toList());
            return;
        }
        Table table = new Table(output.isColoured());
        all.forEach(one -> table.row(one.code(), one.meaning()));
        output.print(table.heading("code", "meaning").toString());
    }

    private static Stream<String> errorCodes() {
        return Stream.of(LeaseException.Code.values()).map(LeaseException.Code::toString);
    }

    private static Optional<Explanation> explain(String code) {
        if (errorCodes().anyMatch(code::equals)) {
            return Optional.of(ours(code));
        }
        if (!code.matches("\\d{1,3}") || Integer.parseInt(code) > 255) {
            return Optional.empty();
        }
        int number = Integer.parseInt(code);
        if (OURS.contains(number)) {
            return Optional.of(ours(Integer.toString(number)));
        }
        int signal = number - ExitCode.SIGNAL;
        if (signal >= 1 && signal <= LAST_SIGNAL) {
            return Optional.of(new Explanation(
                    code,
                    Messages.text("explain.signal-number", signal, signalName(signal)),
                    Messages.text("explain.signal.advice")));
        }
        return Optional.of(
                new Explanation(code, Messages.text("explain.command"), Messages.text("explain.command.advice")));
    }

    private static Explanation ours(String code) {
        return new Explanation(code, Messages.text("explain." + code), Messages.text("explain." + code + ".advice"));
    }

    /** Of those that have the same number on all systems. */
    private static String signalName(int number) {
        return switch (number) {
            case 1 -> "HUP";
            case 2 -> "INT";
            case 3 -> "QUIT";
            case 6 -> "ABRT";
            case 9 -> "KILL";
            case 11 -> "SEGV";
            case 13 -> "PIPE";
            case 14 -> "ALRM";
            case 15 -> "TERM";
            default -> Integer.toString(number);
        };
    }
}
