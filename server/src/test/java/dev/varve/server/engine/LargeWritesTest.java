package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.Transaction;
import dev.varve.codec.string.Strings;
import dev.varve.lsm.WriteBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Writes of more keys than the tree tells places of. */
class LargeWritesTest {
  private static final int KEYS = WriteBatch.PLACES_MAX + 2_000;

  /** From here on each is looked at. */
  private static final int FIRST = WriteBatch.PLACES_MAX - 500;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** In the order of numbers, which is that of the batch then. */
  private static byte[] key(int number) {
    return bytes("key " + (1_000_000 + number));
  }

  private static void set(Transaction transaction, int key, String value) {
    Strings.set(transaction, 0, key(key), bytes(value));
  }

  private static void setAll(EngineRig rig, String value) {
    try {
      rig.write(
          transaction -> {
            for (int i = 0; i < KEYS; i++) {
              set(transaction, i, value);
            }
          });
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Each value has a length of its own. */
  private static int length(EngineRig rig, int key) {
    return rig.read(transaction -> Strings.length(transaction, 0, key(key)));
  }

  @Test
  void aKeyWhosePlaceWasKnownBeforeIsReplacedRightBehindIt() throws IOException {
    try (EngineRig rig = new EngineRig(64 << 20)) {
      setAll(rig, "first");
      for (int i = FIRST; i < KEYS; i++) {
        int key = i;
        rig.write(transaction -> set(transaction, key, "alone"));
      }
      // Somebody still reads what is replaced, so that it stays where it is.
      rig.read(
          before -> {
            setAll(rig, "all");
            return null;
          });
      for (int i = FIRST; i < KEYS; i++) {
        int key = i;
        assertEquals("all".length(), length(rig, key));
        rig.write(transaction -> set(transaction, key, "last"));
        assertEquals("last".length(), length(rig, key));
      }
    }
  }
}
