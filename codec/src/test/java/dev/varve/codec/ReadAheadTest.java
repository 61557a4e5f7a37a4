package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a pop from a list that lies on disk brings into memory beside its element. */
class ReadAheadTest {
  private static final byte[] KEY = bytes("jobs");
  private static final int SIZE = 1000;
  private static final int ELEMENT_BYTES = 1000;

  private final Keyspace keyspace = new Keyspace();

  /** Keeps the positions of all elements that were asked for. */
  private static final class AskedView implements StoreView {
    private final StoreView view;
    private final boolean mayWait;
    final List<Long> positions = new ArrayList<>();

    AskedView(StoreView view, boolean mayWait) {
      this.view = view;
      this.mayWait = mayWait;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      if (key[0] == 'l') {
        // The sign bit of a position is flipped in its key.
        positions.add(ByteBuffer.wrap(key).getLong(key.length - Long.BYTES) ^ Long.MIN_VALUE);
      }
      return view.get(key);
    }

    @Override
    public boolean mayWait() {
      return mayWait;
    }

    @Override
    public StoreCursor cursor(byte[] end) {
      return view.cursor(end);
    }

    @Override
    public void close() {
      view.close();
    }
  }

  private List<Long> askedByPop(ListEnd end, boolean mayWait) {
    try (AskedView view = new AskedView(keyspace.store.view(), mayWait)) {
      Transaction trial = keyspace.transaction(view);
      Lists.pop(trial, 0, KEY, end);
      return view.positions;
    }
  }

  private void fill(int size) {
    byte[][] elements = new byte[size][ELEMENT_BYTES];
    keyspace.number(tx -> Lists.push(tx, 0, KEY, ListEnd.TAIL, elements));
    assertTrue(keyspace.held(0, KEY).isSpread());
  }

  @Test
  void popThatWaitsReadsOnInItsDirectionInSteps() {
    fill(SIZE);

    assertEquals(
        List.of(0L, 12L, 24L, 36L, 48L, 60L, 72L, 84L, 96L), askedByPop(ListEnd.HEAD, true));
    assertEquals(
        List.of(999L, 987L, 975L, 963L, 951L, 939L, 927L, 915L, 903L),
        askedByPop(ListEnd.TAIL, true));
  }

  @Test
  void readingAheadEndsWithTheList() {
    fill(20);

    assertEquals(List.of(0L, 12L), askedByPop(ListEnd.HEAD, true));
    assertEquals(List.of(19L, 7L), askedByPop(ListEnd.TAIL, true));
  }

  @Test
  void popInMemoryReadsItsElementOnly() {
    fill(SIZE);

    assertEquals(List.of(0L), askedByPop(ListEnd.HEAD, false));
  }
}
