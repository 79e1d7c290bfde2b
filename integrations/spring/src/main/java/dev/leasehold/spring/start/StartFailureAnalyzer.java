package dev.leasehold.spring.start;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Prints the problem and the remedy in place of a stack trace. */
final class StartFailureAnalyzer extends AbstractFailureAnalyzer<StartException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, StartException cause) {
        return new FailureAnalysis(cause.problem(), cause.remedy(), rootFailure);
    }
}
