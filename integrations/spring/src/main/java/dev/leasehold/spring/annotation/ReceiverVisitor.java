package dev.leasehold.spring.annotation;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.asm.Handle;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Tells which methods are called on {@code this}. It follows the operand stack, of which it knows the depth and the places that
 * hold {@code this}; copies in local variables are not followed. Calls by {@code super} are left out: they are what an
 * overriding method does.
 */
final class ReceiverVisitor extends MethodVisitor {
    /** What each instruction adds to the depth of the stack, from 'A' for -4 to 'G' for 2, as the JVM specification has it. */
    private static final String DEPTHS =
            "EFFFFFFFFGGFFFGGFFFGGFGFGFFFFFGGGGFFFFGGGGFFFFDEDEDDDDDCDCDDDDDCCCCDDDDCCCCDDDDB"
                    + "ABABBBBDCFFFGGGEDCDCDCDCDCDCDCDCDCDCEEEEDDDDDDDCDCDCEFEFDDEEFFDEDEEEBDDBBDDDDDDC"
                    + "CCCCCCCEFEDDDCDCDEEEEEEEEEEFEEEDEEDDEEDD";

    private final boolean isStatic;
    private final Consumer<String> called;
    private final Map<Label, BitSet> holders = new HashMap<>();
    private final Map<Label, Integer> depths = new HashMap<>();
    private BitSet self = new BitSet();
    private int depth;
    private boolean isCodeBefore = true;

    /** Tells name and descriptor of each. */
    ReceiverVisitor(int access, Consumer<String> called) {
        super(SpringAsmInfo.ASM_VERSION);
        this.isStatic = (access & Opcodes.ACC_STATIC) != 0;
        this.called = called;
    }

    private void push(int slots) {
        depth += slots;
    }

    private void pop(int slots) {
        depth = Math.max(0, depth - slots);
        self.clear(depth, Math.max(depth, self.length()));
    }

    private void move(int opcode) {
        int change = DEPTHS.charAt(opcode) - 'E';
        if (change < 0) {
            pop(-change);
        } else {
            push(change);
        }
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.DUP && self.get(Math.max(0, depth - 1))) {
            self.set(depth);
        }
        move(opcode);
        isCodeBefore = (opcode < Opcodes.IRETURN || opcode > Opcodes.RETURN) && opcode != Opcodes.ATHROW;
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        move(opcode);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        if (opcode == Opcodes.ALOAD && variable == 0 && !isStatic) {
            self.set(depth);
        }
        move(opcode);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        move(opcode);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        int size = Type.getType(descriptor).getSize();
        boolean isGet = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
        boolean hasOwner = opcode == Opcodes.GETFIELD || opcode == Opcodes.PUTFIELD;
        pop((hasOwner ? 1 : 0) + (isGet ? 0 : size));
        push(isGet ? size : 0);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        int arguments = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
        int receiver = opcode == Opcodes.INVOKESTATIC ? 0 : 1;
        boolean isOnSelf = receiver == 1 && depth > arguments && self.get(depth - arguments - 1);
        if (isOnSelf && opcode != Opcodes.INVOKESPECIAL) {
            called.accept(name + descriptor);
        }
        pop(arguments + receiver);
        push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... constants) {
        int arguments = (Type.getArgumentsAndReturnSizes(descriptor) >> 2) - 1;
        if (arguments > 0 && depth >= arguments && self.get(depth - arguments)) {
            for (Object constant : constants) {
                if (constant instanceof Handle handle && handle.getTag() != Opcodes.H_INVOKESTATIC) {
                    called.accept(handle.getName() + handle.getDesc()); // this::method
                }
            }
        }
        pop(arguments);
        push(Type.getReturnType(descriptor).getSize());
    }

    @Override
    public void visitLdcInsn(Object value) {
        push(value instanceof Long || value instanceof Double ? 2 : 1);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        pop(dimensions);
        push(1);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        move(opcode);
        remember(label);
        isCodeBefore = opcode != Opcodes.GOTO;
    }

    @Override
    public void visitTableSwitchInsn(int least, int most, Label otherwise, Label... labels) {
        branch(otherwise, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        branch(otherwise, labels);
    }

    private void branch(Label otherwise, Label... labels) {
        pop(1);
        remember(otherwise);
        for (Label label : labels) {
            remember(label);
        }
        isCodeBefore = false;
    }

    private void remember(Label label) {
        depths.putIfAbsent(label, depth);
        holders.putIfAbsent(label, (BitSet) self.clone());
    }

    @Override
    public void visitTryCatchBlock(
            Label start, Label end, Label handler, @org.jspecify.annotations.Nullable String type) {
        depths.put(handler, 1);
        holders.put(handler, new BitSet());
    }

    @Override
    public void visitLabel(Label label) {
        if (!isCodeBefore) {
            depth = depths.getOrDefault(label, 0);
            self = (BitSet) holders.getOrDefault(label, new BitSet()).clone();
            isCodeBefore = true;
        }
    }
}
