package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.store.StoreView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What asking for the elements of a list one by one leaves to be read. */
class ElementReadAheadTest {
  private static final int ELEMENTS = 100;
  private static final CollectionKeys LIST = list("list");

  private final EngineRig rig;

  ElementReadAheadTest() throws IOException {
    rig = new EngineRig(1 << 20);
  }

  private static CollectionKeys list(String name) {
    return new CollectionKeys(0, name.getBytes(StandardCharsets.UTF_8), 1);
  }

  private static byte[] element(long position) {
    return ("element " + position).getBytes(StandardCharsets.UTF_8);
  }

  @BeforeEach
  void fill() throws IOException {
    rig.write(
        transaction -> {
          for (int position = 0; position < ELEMENTS; position++) {
            transaction.put(LIST.element(position), element(position));
            transaction.put(list("other").element(position), element(-position));
          }
        });
  }

  @AfterEach
  void close() throws IOException {
    rig.close();
  }

  private void assertElement(long position) {
    try (StoreView view = rig.engine().store().writerView()) {
      assertArrayEquals(element(position), view.get(LIST.element(position)));
    }
  }

  private long hits() {
    return rig.engine().rows().hits();
  }

  @Test
  void whoGoesUpwardsFindsTheNextOnes() {
    assertElement(10);
    assertElement(11);
    long before = hits();
    for (int position = 12; position < 11 + ElementReadAhead.ELEMENTS; position++) {
      assertElement(position);
    }
    assertEquals(before + ElementReadAhead.ELEMENTS - 1, hits());
    for (int position = 11 + ElementReadAhead.ELEMENTS; position < ELEMENTS; position++) {
      assertElement(position);
    }
  }

  @Test
  void whoGoesDownwardsFindsTheNextOnes() {
    assertElement(90);
    assertElement(89);
    long before = hits();
    for (int position = 88; position > 89 - ElementReadAhead.ELEMENTS; position--) {
      assertElement(position);
    }
    assertEquals(before + ElementReadAhead.ELEMENTS - 1, hits());
    for (int position = 89 - ElementReadAhead.ELEMENTS; position >= 0; position--) {
      assertElement(position);
    }
  }

  @Test
  void whoJumpsAboutGetsWhatWasAskedFor() {
    long before = hits();
    for (int position = 0; position < ELEMENTS; position += 2) {
      assertElement(position);
    }
    assertEquals(before, hits());
  }

  @Test
  void whatWasReadAheadAndIsWrittenOrDeletedIsNotOld() throws IOException {
    assertElement(10);
    assertElement(11);
    rig.write(
        transaction -> {
          transaction.put(LIST.element(12), element(1_000));
          transaction.delete(LIST.element(13));
        });
    try (StoreView view = rig.engine().store().writerView()) {
      assertArrayEquals(element(1_000), view.get(LIST.element(12)));
      assertNull(view.get(LIST.element(13)));
      assertArrayEquals(element(14), view.get(LIST.element(14)));
    }
  }
}
