package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The agenda")
class AgendaTest {
    private final Agenda agenda = new Agenda();
    private final List<Integer> handled = new ArrayList<>();

    private final class Numbered extends Agenda.Item {
        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        void due(Moment now) {
            handled.add(number);
        }
    }

    private static Moment at(long nanos) {
        return new Moment(nanos, 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @DisplayName(
            "handles what is due, by moment and then by when it was put down, whatever was moved or taken off before")
    void keepsOrder(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Numbered> items = IntStream.range(0, 60).mapToObj(Numbered::new).toList();
        // What is expected: moments in the order in which they were put down.
        Map<Integer, Long> expected = new LinkedHashMap<>();
        long now = 0;
        for (int step = 0; step < 5_000; step++) {
            Numbered item = items.get(random.nextInt(items.size()));
            int kind = random.nextInt(10);
            if (kind < 7) {
                long moment = now + random.nextInt(40);
                agenda.put(item, moment);
                if (!Long.valueOf(moment).equals(expected.get(item.number))) {
                    expected.remove(item.number);
                    expected.put(item.number, moment);
                }
            } else if (kind < 9) {
                agenda.remove(item);
                expected.remove(item.number);
            } else {
                now += random.nextInt(20);
                long end = now;
                List<Integer> due = expected.entrySet().stream()
                        .filter(entry -> entry.getValue() <= end)
                        .sorted(Comparator.comparingLong(Map.Entry::getValue))
                        .map(Map.Entry::getKey)
                        .toList();
                handled.clear();
                agenda.run(at(now));
                assertThat(handled).as("seed %d, step %d", seed, step).isEqualTo(due);
                due.forEach(expected::remove);
            }
            assertThat(agenda.next())
                    .as("seed %d, step %d", seed, step)
                    .isEqualTo(expected.values().stream()
                            .mapToLong(moment -> moment)
                            .min()
                            .orElse(Long.MAX_VALUE));
        }
    }

    @Test
    @DisplayName("forgets nothing that was due when the handling of something failed")
    void forgetsNothing() {
        agenda.put(new Numbered(1), 10);
        agenda.put(
                new Agenda.Item() {
                    private boolean hasFailed;

                    @Override
                    void due(Moment now) {
                        if (!hasFailed) {
                            hasFailed = true;
                            throw new IllegalStateException("once");
                        }
                        handled.add(2);
                    }
                },
                11);
        agenda.put(new Numbered(3), 12);
        assertThatThrownBy(() -> agenda.run(at(20))).hasMessage("once");
        assertThat(handled).containsExactly(1);
        agenda.run(at(20));
        assertThat(handled).containsExactly(1, 2, 3);
    }
}
