package dev.leasehold.spring.observe;

import dev.leasehold.store.Key;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The names under which locks and runs are measured. A name is a template of keys, such as {@code sync/*}, never a key, so
 * that there are few of them: each is added before it is used, and keys that fit none of them are {@value #OTHER}.
 *
 * <p>Safe for use by many threads.
 */
public final class LockNames {
    /** The name of all keys that fit no template, and of those that came after the last that was allowed. */
    public static final String OTHER = "other";

    /** In a template, any text without a slash. */
    private static final String ANY = "*";

    private final int most;
    private final Map<String, Template> templates = new LinkedHashMap<>();
    private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

    /** Guarded by being replaced as a whole. */
    private volatile List<Template> all = List.of();

    private record Template(String name, List<String> segments) {
        boolean fits(List<String> key) {
            if (key.size() != segments.size()) {
                return false;
            }
            for (int i = 0; i < key.size(); i++) {
                String wanted = segments.get(i);
                if (!wanted.equals(ANY) && !wanted.equals(key.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    private static List<String> segments(String text) {
        return List.of(text.split("/", -1));
    }

    /** At most so many names, besides {@value #OTHER}. */
    public LockNames(int most) {
        this.most = most;
    }

    /**
     * Adds a name that is the template itself: {@code *} as a whole segment stands for any text without a slash. A template
     * that comes first counts first. Beyond the most that are allowed it is ignored.
     */
    public void add(String template) {
        add(template, template);
    }

    /** The same with a name of its own. */
    public void add(String name, String template) {
        synchronized (templates) {
            if (templates.containsKey(template) || templates.size() >= most) {
                return;
            }
            templates.put(template, new Template(name, segments(template)));
            all = List.copyOf(templates.values());
        }
        listeners.forEach(listener -> listener.accept(name));
    }

    /** Adds several, in order. */
    public void addAll(Collection<String> names) {
        names.forEach(this::add);
    }

    /** Tells the listener all names there are, and each that is added later. */
    void onName(Consumer<String> listener) {
        listeners.add(listener);
        listener.accept(OTHER);
        all.forEach(template -> listener.accept(template.name()));
    }

    /** The name of this key. */
    public String of(Key key) {
        List<String> segments = segments(key.value());
        for (Template template : all) {
            if (template.fits(segments)) {
                return template.name();
            }
        }
        return OTHER;
    }
}
