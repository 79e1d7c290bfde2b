package dev.leasehold.spring.annotation;

import java.lang.reflect.UndeclaredThrowableException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** The rest of a call, as work that the library knows how to run. */
final class Proceeding {
    private Proceeding() {}

    static @Nullable Object proceed(MethodInvocation call) throws Exception {
        try {
            return call.proceed();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new UndeclaredThrowableException(e);
        }
    }

    /** The class of the bean behind the proxy. */
    static Class<?> type(MethodInvocation call) {
        Object target = call.getThis();
        return target == null ? call.getMethod().getDeclaringClass() : AopUtils.getTargetClass(target);
    }
}
