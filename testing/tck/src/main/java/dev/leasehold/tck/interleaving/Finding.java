package dev.leasehold.tck.interleaving;

import java.util.List;

/**
 * A cell whose outcome no order of verb and rival explains.
 *
 * @param what the answer and the record afterwards, what the rules allow, and the error if there was one
 */
public record Finding(Cell cell, boolean isInCompany, String what) {
    @Override
    public String toString() {
        return cell + (isInCompany ? " | in company" : "") + "\n    " + what;
    }

    /** Several findings as one text. */
    static String text(List<Finding> findings) {
        StringBuilder text = new StringBuilder();
        findings.forEach(finding -> text.append("\n  ").append(finding));
        return text.toString();
    }
}
