package dev.leasehold.analysis;

import org.junit.jupiter.api.DisplayName;

@DisplayName("The worker on rows in PostgreSQL")
class RowsUnderFireTest extends UnderFire {
    @Override
    Place open() {
        return new Rows();
    }
}
