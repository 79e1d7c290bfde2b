package dev.leasehold.spring.annotation;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Checks the annotated methods of each bean when it is made, and the proxy around it. */
final class AnnotatedBeans implements BeanPostProcessor, Ordered {
    private final MethodRules rules;
    private final Map<Class<?>, Set<Method>> known = new ConcurrentHashMap<>();

    AnnotatedBeans(AnnotatedMethods methods) {
        this.rules = new MethodRules(methods);
    }

    /** After all others, so that the bean is what the application is given. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        Class<?> type = type(bean);
        if (!known.containsKey(type)) {
            Set<Method> methods = find(type);
            methods.forEach(method -> rules.check(method, type));
            if (!methods.isEmpty()) {
                SelfCalls.check(type, methods);
            }
            known.put(type, methods);
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        Class<?> type = type(bean);
        if (!(bean instanceof ScopedObject)) {
            known.getOrDefault(type, Set.of()).forEach(method -> ProxyRules.check(bean, method, type));
        }
        return bean;
    }

    private static Class<?> type(Object bean) {
        return ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
    }

    private static Set<Method> find(Class<?> type) {
        if (AopInfrastructureBean.class.isAssignableFrom(type)
                || !AnnotationUtils.isCandidateClass(type, Set.of(Locked.class, RunOnce.class))) {
            return Set.of();
        }
        return MethodIntrospector.selectMethods(
                type,
                (Method method) ->
                        AnnotatedMethods.lockedOn(method) != null || AnnotatedMethods.runOnceOn(method) != null);
    }
}
