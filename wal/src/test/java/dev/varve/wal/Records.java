package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** What the tests of the log share: payloads that tell which they are, and a replay into a list. */
final class Records {
  /** One record as a replay handed it out. */
  record Replayed(long segment, long offset, byte[] payload) {}

  private Records() {}

  static RandomGenerator salts() {
    return new SplittableRandom(42);
  }

  /** The same bytes for the same arguments, other ones for any other. */
  static byte[] payload(long id, int bytes) {
    SplittableRandom random = new SplittableRandom(id * 31 + bytes);
    byte[] payload = new byte[bytes];
    random.nextBytes(payload);
    return payload;
  }

  static long append(Log log, byte[] payload) throws IOException {
    return log.append(payload, 0, payload.length);
  }

  static byte[] copy(ByteBuffer payload) {
    byte[] copy = new byte[payload.remaining()];
    payload.get(copy);
    return copy;
  }

  static List<byte[]> replayAll(StorageDirectory directory, long fromSegment) throws IOException {
    List<byte[]> payloads = new ArrayList<>();
    LogReader.replay(
        directory,
        new OffHeap(),
        fromSegment,
        (segment, offset, payload) -> payloads.add(copy(payload)));
    return payloads;
  }

  static Log newLog(StorageDirectory directory, long aheadBytes) throws IOException {
    return Log.create(directory, new OffHeap(), salts(), 1, 0, aheadBytes);
  }
}
