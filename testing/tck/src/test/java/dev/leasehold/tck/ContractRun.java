package dev.leasehold.tck;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** One run of a contract inside a test, and what became of its cases, by their names. */
final class ContractRun implements TestExecutionListener {
    private final Set<String> passed = new ConcurrentSkipListSet<>();
    private final Map<String, String> failed = new ConcurrentSkipListMap<>();

    static ContractRun of(Class<?> contract) {
        ContractRun run = new ContractRun();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(contract))
                .build();
        LauncherConfig alone = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .build();
        LauncherFactory.create(alone).execute(request, run);
        return run;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
            String name = test.getDisplayName();
            result.getThrowable().ifPresentOrElse(why -> failed.put(name, why.toString()), () -> passed.add(name));
        }
    }

    Set<String> passed() {
        return passed;
    }

    Map<String, String> failed() {
        return failed;
    }

    Set<String> failedIds() {
        Set<String> ids = new TreeSet<>();
        failed.keySet().forEach(name -> ids.add(name.substring(0, name.indexOf(' '))));
        return ids;
    }
}
