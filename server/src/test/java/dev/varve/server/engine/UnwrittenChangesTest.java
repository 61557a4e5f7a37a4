package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class UnwrittenChangesTest {
  private static final byte[] KEY = KeyFormat.meta(0, bytes("key"));

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void assertValue(byte[] expected, Store store) {
    try (StoreView view = store.writerView()) {
      assertArrayEquals(expected, view.get(KEY));
    }
  }

  @Test
  void changesThatFailHalfWayAreNotSeen() throws IOException {
    try (EngineRig rig = new EngineRig(1 << 20)) {
      Store store = rig.engine().store();
      rig.write(transaction -> transaction.put(KEY, bytes("old")));
      assertValue(bytes("old"), store);
      assertThrows(
          IllegalArgumentException.class,
          () ->
              store.write(
                  visitor -> {
                    visitor.put(KEY, bytes("new"));
                    throw new IllegalArgumentException("too large");
                  }));
      assertValue(bytes("old"), store);
      rig.write(transaction -> transaction.put(KEY, bytes("newer")));
      assertValue(bytes("newer"), store);
    }
  }
}
