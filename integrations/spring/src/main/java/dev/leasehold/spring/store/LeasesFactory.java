package dev.leasehold.spring.store;

import dev.leasehold.lease.Leases;
import java.time.Duration;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;

/**
 * The client as a bean, which lets work under a lease end before it closes: executors of the application may wait for their
 * tasks only after that.
 */
record LeasesFactory(Leases leases, Duration grace) implements FactoryBean<Leases>, DisposableBean {
    @Override
    public Leases getObject() {
        return leases;
    }

    @Override
    public Class<?> getObjectType() {
        return Leases.class;
    }

    @Override
    public void destroy() {
        leases.close(grace);
    }
}
