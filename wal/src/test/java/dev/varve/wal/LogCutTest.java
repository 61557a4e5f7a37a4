package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A log that ends anywhere: what is left of it is whole records, all of them. */
class LogCutTest {
  private static final int CUT_BYTES = 64 << 10;

  @Test
  void aLogCutAtEveryByteOfItsLast64KibIsAPrefix() throws IOException {
    OffHeap memory = new OffHeap();
    CrashableStorageDirectory written = new CrashableStorageDirectory();
    Random random = new Random(1);
    List<byte[]> payloads = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    Log log = Log.create(written, memory, random, 1, 0, 0);
    while (log.appendedPosition() < CUT_BYTES + 1_000) {
      byte[] payload = Records.payload(payloads.size(), 1 + random.nextInt(700));
      payloads.add(payload);
      Records.append(log, payload);
      ends.add(RecordFileFormat.HEADER_BYTES + (int) log.appendedPosition());
      if (random.nextInt(5) == 0) {
        log.write();
        log.sync();
      }
    }
    log.write();
    String name = LogFormat.fileName(1);
    byte[] whole = written.content(name);
    assertEquals(whole.length, ends.get(ends.size() - 1));

    CrashableStorageDirectory cut = new CrashableStorageDirectory();
    for (int length = whole.length; length >= whole.length - CUT_BYTES; length--) {
      int left = length;
      cut.setContent(name, Arrays.copyOf(whole, left));
      List<byte[]> found = new ArrayList<>();
      LogReplay replay =
          LogReader.replay(cut, memory, 1, (segment, offset, p) -> found.add(Records.copy(p)));
      long expected = ends.stream().filter(end -> end <= left).count();
      assertEquals(expected, replay.recordCount(), () -> "cut to " + left);
      assertEquals(expected, found.size(), () -> "cut to " + left);
      if (expected > 0) {
        int last = found.size() - 1;
        assertArrayEquals(payloads.get(last), found.get(last), () -> "cut to " + left);
      }
    }
    log.close();
    assertEquals(0, memory.heldBytes());
  }
}
