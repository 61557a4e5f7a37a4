package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.stream.Streams;
import java.io.OutputStream;
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
}
