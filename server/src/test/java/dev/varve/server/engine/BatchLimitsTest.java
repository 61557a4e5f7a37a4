package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.store.StoreBatch;
import dev.varve.lsm.WriteBatch;
import org.junit.jupiter.api.Test;

/** Codec and tree do not know each other: what one lets through the other takes. */
class BatchLimitsTest {

  @Test
  void theTreeTakesWhatABatchOfCodecMayHold() {
    assertTrue(StoreBatch.KEY_BYTES_MAX <= WriteBatch.KEY_BYTES_MAX);
    assertTrue(StoreBatch.VALUE_BYTES_MAX <= WriteBatch.VALUE_BYTES_MAX);
    assertTrue((long) StoreBatch.KEY_BYTES_MAX + StoreBatch.VALUE_BYTES_MAX < WriteBatch.BYTES_MAX);
  }
}
