package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;

/**
 * A log on a disk that fails and crashes when it is told to, with records that tell which they are.
 */
abstract class LogFixture {
  static final IOException FULL = new IOException("No space left on device");
  static final IOException BROKEN = new IOException("Input/output error");

  final CrashableStorageDirectory disk = new CrashableStorageDirectory();
  final FailingStorageDirectory directory = new FailingStorageDirectory(disk);

  static void assertReplays(StorageDirectory directory, long... ids) throws IOException {
    List<byte[]> payloads = Records.replayAll(directory, 1);
    assertEquals(ids.length, payloads.size());
    for (int i = 0; i < ids.length; i++) {
      assertArrayEquals(Records.payload(ids[i], 100), payloads.get(i), "record " + i);
    }
  }

  static void append(Log log, long id) throws IOException {
    Records.append(log, Records.payload(id, 100));
  }
}
