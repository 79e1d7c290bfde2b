package dev.leasehold.spring.annotation;

import java.lang.reflect.Method;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;

/** What the proxy around a bean must be like for the annotations of a method to work. */
final class ProxyRules {
    private static final String TRANSACTION = "org.springframework.transaction.interceptor.TransactionInterceptor";

    private ProxyRules() {}

    /**
     * Checks the bean as others are given it.
     *
     * @throws dev.leasehold.spring.start.StartException if calls of the method do not pass the lease, or pass it in the wrong
     *     order
     */
    static void check(Object bean, Method method, Class<?> type) {
        if (!AopUtils.isAopProxy(bean) || !isReachable(bean, method)) {
            throw MethodProblem.of(
                    method,
                    type,
                    AopUtils.isAopProxy(bean)
                            ? "is in no interface of its class, and the bean can only be called by its interfaces."
                            : "belongs to a bean without a proxy, so Spring cannot put the lease around its calls.",
                    AopUtils.isAopProxy(bean)
                            ? "Remove spring.aop.proxy-target-class=false, or put the method into an interface."
                            : "Let Spring make the bean and its proxy, or call the work by Leases.with or Once.run.");
        }
        if (bean instanceof Advised proxy) {
            checkOrder(proxy, method, type);
        }
    }

    private static boolean isReachable(Object bean, Method method) {
        try {
            var unused = AopUtils.selectInvocableMethod(method, bean.getClass());
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private static void checkOrder(Advised proxy, Method method, Class<?> type) {
        boolean isRun = AnnotatedMethods.runOnceOn(method) != null;
        int lease = index(proxy, (isRun ? RunOnceInterceptor.class : LockedInterceptor.class).getName());
        if (lease < 0) {
            throw MethodProblem.of(
                    method,
                    type,
                    "belongs to a bean whose proxy is without the lease.",
                    "Let Spring make the proxy, or call the work by Leases.with or Once.run.");
        }
        if (!CallersTransaction.isTransactional(method, type)) {
            return;
        }
        int transaction = index(proxy, TRANSACTION);
        int answer = index(proxy, "dev.leasehold.spring.annotation.SettlingInterceptor");
        if (transaction < lease || (isRun && answer >= 0 && answer < transaction)) {
            throw MethodProblem.of(
                    method,
                    type,
                    "would begin its transaction outside the lease, so that the lease ends before the commit.",
                    "Leave the order of @EnableTransactionManagement at its default, and its mode at PROXY.");
        }
    }

    private static int index(Advised proxy, String name) {
        Advisor[] advisors = proxy.getAdvisors();
        for (int i = 0; i < advisors.length; i++) {
            Advice advice = advisors[i].getAdvice();
            if (advice.getClass().getName().equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
