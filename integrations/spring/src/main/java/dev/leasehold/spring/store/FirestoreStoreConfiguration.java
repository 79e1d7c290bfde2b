package dev.leasehold.spring.store;

import com.google.cloud.firestore.Firestore;
import dev.leasehold.firestore.FirestoreLeaseStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The application's own Firestore as a store, on its own client. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({FirestoreLeaseStore.class, Firestore.class})
@ConditionalOnBean(Firestore.class)
class FirestoreStoreConfiguration {
    @Bean
    StoreCandidate leaseholdFirestoreCandidate(ObjectProvider<Firestore> clients) {
        return new StoreCandidate(
                StoreKind.FIRESTORE,
                () -> FirestoreLeaseStore.builder(clients.getObject()).open());
    }
}
