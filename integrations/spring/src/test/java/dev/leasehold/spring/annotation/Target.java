package dev.leasehold.spring.annotation;

import org.springframework.aop.framework.AopProxyUtils;

/** The objects behind proxies, whose fields are the real ones. */
final class Target {
    private Target() {}

    @SuppressWarnings("unchecked")
    static <T> T of(T bean) {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : (T) target;
    }
}
