package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  private boolean isKept(long position) {
    return rig.engine().walks().get(LIST.element(position)) != null;
  }

  @Test
  void whoGoesUpwardsFindsTheNextOnes() {
    assertElement(10);
    assertElement(11);
    for (int position = 11; position < 11 + ElementReadAhead.ELEMENTS; position++) {
      assertTrue(isKept(position), "position " + position);
      assertElement(position);
    }
    assertFalse(isKept(12 + ElementReadAhead.ELEMENTS));
    for (int position = 11 + ElementReadAhead.ELEMENTS; position < ELEMENTS; position++) {
      assertElement(position);
    }
  }

  @Test
  void whoGoesDownwardsFindsTheNextOnes() {
    assertElement(90);
    assertElement(89);
    for (int position = 89; position > 89 - ElementReadAhead.ELEMENTS; position--) {
      assertTrue(isKept(position), "position " + position);
      assertElement(position);
    }
    assertFalse(isKept(88 - ElementReadAhead.ELEMENTS));
    for (int position = 89 - ElementReadAhead.ELEMENTS; position >= 0; position--) {
      assertElement(position);
    }
  }

  @Test
  void whoAsksForOtherListsMeanwhileDisturbsNobody() {
    assertElement(10);
    try (StoreView view = rig.engine().store().writerView()) {
      view.get(list("other").element(70));
      view.get(list("other").element(69));
    }
    assertElement(11);
    for (int position = 11; position < 11 + ElementReadAhead.ELEMENTS; position++) {
      assertTrue(isKept(position), "position " + position);
    }
  }

  @Test
  void whoJumpsAboutGetsWhatWasAskedFor() {
    for (int position = 0; position < ELEMENTS; position += 2) {
      assertElement(position);
      assertFalse(isKept(position), "position " + position);
    }
  }

  @Test
  void whoAsksAgainFindsIt() {
    assertElement(50);
    assertFalse(isKept(50));
    assertElement(50);
    assertTrue(isKept(50));
    assertFalse(isKept(51));
    assertElement(50);
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
