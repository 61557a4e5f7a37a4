package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.store.WriteTooLargeException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class EffectsLimitTest {
  private static final byte[] WORD = "x".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
  private static final int FIT = (int) (Effects.HEAP_BYTES_MAX / (WORD.length + 1_000));

  @Test
  void moreThanAThirdOfTheHeapIsRefused() {
    Effects effects = new Effects();
    for (int i = 0; i < FIT; i++) {
      effects.end(0, List.of(WORD), true);
    }
    assertThrows(
        WriteTooLargeException.class,
        () -> {
          for (int i = 0; i < FIT; i++) {
            effects.end(0, List.of(WORD), true);
          }
        });
  }

  @Test
  void oneRequestIsTakenHoweverLongItIs() {
    Effects effects = new Effects();
    effects.end(0, Collections.nCopies(4 * FIT, WORD), true);
    assertEquals(1, effects.all().size());
  }
}
