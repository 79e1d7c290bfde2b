package dev.leasehold.spring.annotation;

import dev.leasehold.lease.Lease;
import dev.leasehold.once.Run;
import dev.leasehold.store.Fence;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** The parameters of an annotated method that its caller leaves out: a lease, its fence, a run. */
record Handles(Method method) {
    boolean hasRun() {
        for (Class<?> type : method.getParameterTypes()) {
            if (type == Run.class) {
                return true;
            }
        }
        return false;
    }

    /** Fills them in for this call. */
    void fill(ProxyMethodInvocation call, Lease lease, @Nullable Run<?> run) {
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] arguments = call.getArguments().clone();
        boolean isChanged = false;
        for (int i = 0; i < types.length; i++) {
            if (types[i] == Lease.class) {
                arguments[i] = lease;
            } else if (types[i] == Fence.class) {
                arguments[i] = lease.fence();
            } else if (types[i] == Run.class) {
                arguments[i] = run;
            } else {
                continue;
            }
            isChanged = true;
        }
        if (isChanged) {
            call.setArguments(arguments);
        }
    }
}
