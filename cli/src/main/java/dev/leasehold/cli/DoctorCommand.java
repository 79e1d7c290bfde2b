package dev.leasehold.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code leasehold doctor}: whether all is there that leases and commands depend on, and what to do if not. */
@Command(name = "doctor", resourceBundle = Messages.BUNDLE, mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private StoreOptions store = new StoreOptions();

    @Mixin
    private Output output = new Output();

    @Override
    public Integer call() throws InterruptedException {
        Doctor doctor = new Doctor(store).examine();
        if (output.isJson()) {
            output.printJson(fields(doctor));
        } else {
            print(doctor.findings());
        }
        return doctor.code();
    }

    private void print(List<Doctor.Finding> findings) {
        Table table = new Table(false);
        for (Doctor.Finding finding : findings) {
            table.row(finding.grade().sign, finding.subject(), finding.text());
            if (!finding.advice().isEmpty()) {
                table.row("", "", "→ " + finding.advice());
            }
        }
        for (String line : table.toString().split("\\R", -1)) {
            output.print(output.isColoured() ? coloured(line) : line);
        }
    }

    private static String coloured(String line) {
        String colour = line.startsWith(Doctor.Grade.OK.sign)
                ? "32"
                : line.startsWith(Doctor.Grade.WEAKER.sign)
                        ? "33"
                        : line.startsWith(Doctor.Grade.WRONG.sign) ? "31" : "0";
        return "\u001b[" + colour + "m" + line + "\u001b[0m";
    }

    private static Map<String, Object> fields(Doctor doctor) {
        List<Object> checks = new ArrayList<>();
        for (Doctor.Finding finding : doctor.findings()) {
            Map<String, Object> check = new LinkedHashMap<>();
            check.put("subject", finding.subject());
            check.put("grade", finding.grade().word);
            check.put("text", finding.text());
            if (!finding.advice().isEmpty()) {
                check.put("advice", finding.advice());
            }
            checks.add(check);
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("healthy", doctor.code() == 0);
        fields.put("checks", checks);
        return fields;
    }
}
