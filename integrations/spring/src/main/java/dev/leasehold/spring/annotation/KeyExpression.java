package dev.leasehold.spring.annotation;

import dev.leasehold.store.Key;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The key of an annotated method: text and expressions in turn. The value of an expression is escaped as a part of a key, so that
 * no value changes which parts the key has; and between two slashes there is at most one, so that different values give
 * different keys. Safe for use by many threads.
 */
final class KeyExpression {
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final List<Expression> pieces;
    private final BeanFactoryResolver beans;
    /** The key of every call; null if it has expressions. */
    private final @Nullable Key only;

    private KeyExpression(Method method, List<Expression> pieces, BeanFactory beans, @Nullable Key only) {
        this.method = method;
        this.only = only;
        this.pieces = pieces;
        this.beans = new BeanFactoryResolver(beans);
    }

    /**
     * Reads a key.
     *
     * @throws IllegalArgumentException if it makes no sense, with the reason as a whole sentence
     */
    static KeyExpression of(String text, Method method, BeanFactory beans) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("The key is empty.");
        }
        Expression parsed;
        try {
            parsed = new SpelExpressionParser().parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
        } catch (ParseException e) {
            throw new IllegalArgumentException(
                    "The key \"" + text + "\" cannot be read: " + e.getSimpleMessage() + ".", e);
        }
        List<Expression> pieces = parsed instanceof CompositeStringExpression several
                ? List.of(several.getExpressions())
                : List.of(parsed);
        Key only = checkParts(text, pieces);
        for (Expression piece : pieces) {
            if (piece instanceof SpelExpression expression) {
                checkNames(text, expression.getAST(), names(method));
            }
        }
        return new KeyExpression(method, pieces, beans, only);
    }

    /** The key, if there is nothing in it that differs from call to call. */
    private static @Nullable Key checkParts(String text, List<Expression> pieces) {
        String shape = shape(pieces);
        for (String part : shape.split("/", -1)) {
            if (part.isEmpty()) {
                throw new IllegalArgumentException("The key \"" + text
                        + "\" has an empty part: a slash stands at its begin or end, or beside another.");
            }
            if (part.indexOf('\0') != part.lastIndexOf('\0')) {
                throw new IllegalArgumentException("The key \"" + text
                        + "\" has two expressions in one part, so different values could give the same key. Put a slash"
                        + " between them.");
            }
        }
        return shape.indexOf('\0') < 0 ? Key.of(shape) : null;
    }

    /** The key with a star in place of each part that differs from call to call. */
    String template() {
        return Arrays.stream(shape(pieces).split("/"))
                .map(part -> part.indexOf('\0') < 0 ? part : "*")
                .collect(Collectors.joining("/"));
    }

    /** The text, with a zero in place of each expression. */
    private static String shape(List<Expression> pieces) {
        return pieces.stream()
                .map(piece -> piece instanceof LiteralExpression ? piece.getExpressionString() : "\0")
                .collect(Collectors.joining());
    }

    private static List<String> names(Method method) {
        List<String> names = new ArrayList<>(List.of("root", "this"));
        String @Nullable [] known = NAMES.getParameterNames(method);
        for (int i = 0; i < method.getParameterCount(); i++) {
            names.add("a" + i);
            names.add("p" + i);
            if (known != null) {
                names.add(known[i]);
            }
        }
        return names;
    }

    /** Spring takes a variable that does not exist for null. */
    private static void checkNames(String text, SpelNode node, List<String> names) {
        if (node instanceof VariableReference
                && !names.contains(node.toStringAST().substring(1))) {
            throw new IllegalArgumentException(
                    "The key \"" + text + "\" has " + node.toStringAST()
                            + ", but no parameter has that name. If one has, compile with -parameters, or write #a0 for the first.");
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkNames(text, node.getChild(i), names);
        }
    }

    /**
     * The key of a call.
     *
     * @throws IllegalArgumentException if a value cannot be a part of a key
     */
    Key of(@Nullable Object target, @Nullable Object[] arguments) {
        if (only != null) {
            return only;
        }
        StringBuilder key = new StringBuilder();
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(target == null ? this : target, method, arguments, NAMES);
        context.setBeanResolver(beans);
        for (Expression piece : pieces) {
            key.append(
                    piece instanceof LiteralExpression
                            ? piece.getExpressionString()
                            : escaped(piece.getExpressionString(), value(piece, context)));
        }
        return Key.of(key.toString());
    }

    private @Nullable Object value(Expression piece, MethodBasedEvaluationContext context) {
        try {
            return piece.getValue(context);
        } catch (EvaluationException e) {
            throw bad(piece.getExpressionString(), "has no value: " + e.getMessage(), e);
        }
    }

    private String escaped(String expression, @Nullable Object value) {
        String text = value == null ? "" : value.toString();
        if (value == null || text.isEmpty()) {
            throw bad(expression, "is " + (value == null ? "null" : "empty") + ".", null);
        }
        if (text.equals(value.getClass().getName() + "@" + Integer.toHexString(value.hashCode()))) {
            throw bad(
                    expression,
                    "gives an object of " + value.getClass().getName()
                            + " that has no toString() of its own, so each object would be another key.",
                    null);
        }
        return Key.of("-", text).value().substring("-/".length());
    }

    private IllegalArgumentException bad(String expression, String what, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "In the key of " + MethodProblem.name(method, method.getDeclaringClass()) + ", #{" + expression + "} "
                        + what,
                cause);
    }
}
