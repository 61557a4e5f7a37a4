package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SoftLimitTest {
  private static final OutputBufferLimit LIMIT = new OutputBufferLimit(0, 100, 10);

  private final SoftLimit soft = new SoftLimit();

  private boolean isExceeded(long bytes, long second) {
    return soft.isExceeded(bytes, LIMIT, TimeUnit.SECONDS.toNanos(second));
  }

  @Test
  void asMuchAsIsAllowedMayStayForEver() {
    assertFalse(isExceeded(100, 0));
    assertFalse(isExceeded(100, 1_000));
    assertFalse(soft.isAbove());
  }

  @Test
  void moreMayStayForAsLongAsIsAllowed() {
    assertFalse(isExceeded(101, 5));
    assertTrue(soft.isAbove());
    assertFalse(isExceeded(500, 15));
    assertTrue(isExceeded(101, 16));
  }

  @Test
  void theTimeBeginsAnewOnceThereIsLess() {
    assertFalse(isExceeded(101, 0));
    assertFalse(isExceeded(0, 9));
    assertFalse(isExceeded(101, 12));
    assertFalse(isExceeded(101, 22));
    assertTrue(isExceeded(101, 23));
  }

  @Test
  void withoutASoftLimitNothingIsTooMuch() {
    OutputBufferLimit none = new OutputBufferLimit(0, 0, 0);
    assertFalse(soft.isExceeded(Long.MAX_VALUE, none, 0));
    assertFalse(soft.isExceeded(Long.MAX_VALUE, none, Long.MAX_VALUE));
  }
}
