package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.stream.StreamGroups;
import dev.varve.codec.stream.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stream may be longer than memory: no more than a part of it is there at a time. */
class LongStreamDumpTest {
  private static final byte[] KEY = Keyspace.bytes("s");
  private static final int ENTRIES = 4_000;
  private static final int VALUE_BYTES = 1_000;
  private static final int PART_BYTES_MAX = 300_000;

  private final Keyspace keyspace = new Keyspace();

  /** How many bytes of values have been copied out of the store. */
  private long read;

  @BeforeEach
  void fill() {
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) 'v');
    for (int first = 1; first <= ENTRIES; first += 100) {
      int from = first;
      keyspace.apply(
          each -> {
            for (int i = from; i < from + 100; i++) {
              Streams.add(
                  each,
                  0,
                  KEY,
                  new Streams.NewId(i, 1, false, false),
                  List.of(Keyspace.bytes("f"), value),
                  true,
                  null);
            }
          });
    }
  }

  /** A view that counts the values that are copied out of it. */
  private StoreView counting(StoreView view) {
    return new StoreView() {
      @Override
      public byte @Nullable [] get(byte[] key) {
        return view.get(key);
      }

      @Override
      public StoreCursor cursor(byte[] end) {
        return counting(view.cursor(end));
      }

      @Override
      public void close() {
        view.close();
      }
    };
  }

  private StoreCursor counting(StoreCursor cursor) {
    return new StoreCursor() {
      @Override
      public void within(byte[] from, byte[] end) {
        cursor.within(from, end);
      }

      @Override
      public boolean seek(byte[] key) {
        return cursor.seek(key);
      }

      @Override
      public boolean seekBefore(byte[] key) {
        return cursor.seekBefore(key);
      }

      @Override
      public boolean next() {
        return cursor.next();
      }

      @Override
      public boolean previous() {
        return cursor.previous();
      }

      @Override
      public boolean isValid() {
        return cursor.isValid();
      }

      @Override
      public byte[] key() {
        return cursor.key();
      }

      @Override
      public byte[] value() {
        byte[] value = cursor.value();
        read += value.length;
        return value;
      }

      @Override
      public byte[] valueStart(int bytes) {
        return cursor.valueStart(bytes);
      }

      @Override
      public int valueLength() {
        return cursor.valueLength();
      }

      @Override
      public void close() {
        cursor.close();
      }
    };
  }

  @Test
  void whoHasNoRoomForAPayloadIsToldBeforeAllOfTheStreamIsRead() {
    class NoRoom extends RuntimeException {
      private static final long serialVersionUID = 1;
    }
    try (StoreView view = counting(keyspace.store.view())) {
      assertThrows(
          NoRoom.class,
          () ->
              Dumps.dump(
                  keyspace.transaction(view),
                  0,
                  KEY,
                  bytes -> {
                    if (bytes > PART_BYTES_MAX / 2) {
                      throw new NoRoom();
                    }
                  }));
    }
    assertTrue(read < PART_BYTES_MAX, () -> read + " bytes were read");
  }

  @Test
  void aFileHasWhatWasReadBeforeMoreIsRead() throws Exception {
    long[] written = {0};
    long[] furthest = {0};
    OutputStream file =
        new OutputStream() {
          @Override
          public void write(int one) {
            written[0]++;
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            furthest[0] = Math.max(furthest[0], read - written[0]);
            written[0] += length;
          }
        };
    try (StoreView view = counting(keyspace.store.view())) {
      long keys = RdbExport.write(file, List.of(), () -> keyspace.transaction(view), count -> {});
      assertEquals(1, keys);
    }
    assertTrue(written[0] > (long) ENTRIES * VALUE_BYTES, () -> written[0] + " bytes");
    assertTrue(
        furthest[0] < PART_BYTES_MAX, () -> furthest[0] + " bytes were read and not written");
  }

  /** Groups of which two have so much pending, with two consumers each, and one has none. */
  private void giveToGroups() {
    for (String group : List.of("a", "b", "none")) {
      byte[] name = Keyspace.bytes(group);
      keyspace.apply(each -> StreamGroups.create(each, 0, KEY, name, StreamId.MIN, 0, false));
      for (int i = 0; i < 2 && !group.equals("none"); i++) {
        byte[] consumer = Keyspace.bytes("consumer " + i);
        keyspace.apply(
            each ->
                StreamGroups.readNew(
                    each, 0, KEY, name, consumer, ENTRIES / 2 - 1, false, (id, items) -> {}));
      }
      keyspace.apply(
          each -> StreamGroups.createConsumer(each, 0, KEY, name, Keyspace.bytes("idle")));
    }
    // The last one of a node, so that the one before it reaches on.
    keyspace.apply(each -> Streams.delete(each, 0, KEY, List.of(new StreamId(ENTRIES, 1))));
  }

  @Test
  void aStreamIsReadFromAFileInPieces() throws Exception {
    giveToGroups();
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try (StoreView view = keyspace.store.view()) {
      RdbExport.write(file, List.of(), () -> keyspace.transaction(view), count -> {});
    }
    Keyspace target = new Keyspace();
    List<Long> pieces = new ArrayList<>();
    new RdbImport(new ByteArrayInputStream(file.toByteArray()), RdbImport.TO_ITS_END, 16)
        .run(
            new RdbImport.Target() {
              @Override
              public void write(RdbImport.Change change) {
                pieces.add(change.bytes());
                target.apply(change::run);
                change.applied();
                KeyspaceCheck.assertConsistent(target);
              }

              @Override
              public void library(byte[] code) {}

              @Override
              public void finish() {}
            });
    assertTrue(pieces.size() > ENTRIES * VALUE_BYTES / PART_BYTES_MAX, pieces::toString);
    for (long piece : pieces) {
      assertTrue(piece > 0 && piece < PART_BYTES_MAX, pieces::toString);
    }
    byte[] expected = keyspace.run(each -> Dumps.dump(each, 0, KEY, growth -> {}));
    byte[] found = target.run(each -> Dumps.dump(each, 0, KEY, growth -> {}));
    assertNotNull(expected);
    assertArrayEquals(expected, found);
  }
}
