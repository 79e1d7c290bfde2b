package dev.leasehold.spring.start;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The application cannot start as it is. Says what is wrong, and what to change. */
public final class StartException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final String problem;
    private final String remedy;

    /**
     * @param problem what is wrong, in whole sentences
     * @param remedy the property, dependency, statement or change of code that helps
     */
    public StartException(String problem, String remedy, @Nullable Throwable cause) {
        super(problem + " " + remedy, cause);
        this.problem = problem;
        this.remedy = remedy;
    }

    public String problem() {
        return problem;
    }

    public String remedy() {
        return remedy;
    }
}
