package dev.leasehold.spring.annotation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/** Finds calls of annotated methods on {@code this}, which do not pass the proxy and so get no lease. */
final class SelfCalls {
    private SelfCalls() {}

    /**
     * Reads the code of a class and of its superclasses.
     *
     * @throws dev.leasehold.spring.start.StartException if one of these methods is called on {@code this}
     */
    static void check(Class<?> type, Set<Method> annotated) {
        Map<String, Method> targets = new HashMap<>();
        annotated.forEach(method -> targets.put(method.getName() + Type.getMethodDescriptor(method), method));
        for (Class<?> next = type; next != null && next != Object.class; next = next.getSuperclass()) {
            read(next, type, targets);
        }
    }

    private static void read(Class<?> type, Class<?> bean, Map<String, Method> targets) {
        // A native image has no classes to read; its application was checked when it was built.
        try (InputStream code =
                type.getResourceAsStream(type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class")) {
            if (code != null) {
                new ClassReader(code)
                        .accept(new Finder(bean, targets), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Finder extends ClassVisitor {
        private final Class<?> bean;
        private final Map<String, Method> targets;

        Finder(Class<?> bean, Map<String, Method> targets) {
            super(SpringAsmInfo.ASM_VERSION);
            this.bean = bean;
            this.targets = targets;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            boolean isBridge = (access & org.springframework.asm.Opcodes.ACC_BRIDGE) != 0;
            return isBridge
                    ? null
                    : new ReceiverVisitor(access, target -> {
                        Method method = targets.get(target);
                        if (method != null) {
                            throw MethodProblem.of(
                                    method,
                                    bean,
                                    "is called by the method " + name
                                            + " of the same object, past the bean, so that call"
                                            + " would have no lease.",
                                    "Move the method to another bean, or let " + name
                                            + " call it on the bean: inject the class into itself with @Lazy.");
                        }
                    });
        }
    }
}
