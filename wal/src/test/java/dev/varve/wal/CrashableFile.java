package dev.varve.wal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The content of one file of a {@link CrashableStorageDirectory}: what programs see, what the
 * device has, and the changes in between in order. Guarded by its directory.
 */
final class CrashableFile {
  static final int SECTOR_BYTES = 512;

  /** One sector in so many of those that were on their way is torn: its first bytes are there. */
  private static final int TORN_ONE_IN = 4;

  /** A growing byte array. */
  private static final class Content {
    byte[] bytes = new byte[0];
    int length;

    void write(int position, byte[] source, int from, int to) {
      int end = position + (to - from);
      extend(end);
      System.arraycopy(source, from, bytes, position, to - from);
    }

    void extend(int end) {
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
      }
      length = Math.max(length, end);
    }

    void truncate(int newLength) {
      if (newLength < length) {
        Arrays.fill(bytes, newLength, length, (byte) 0);
        length = newLength;
      } else {
        extend(newLength);
      }
    }

    Content copy() {
      Content copy = new Content();
      copy.bytes = Arrays.copyOf(bytes, length);
      copy.length = length;
      return copy;
    }
  }

  private interface Change {
    void apply(Content content);

    /** Applies what a crash leaves of the change. */
    void applySome(Content content, Random random, double keepFraction);
  }

  private record Write(int position, byte[] bytes) implements Change {
    @Override
    public void apply(Content content) {
      content.write(position, bytes, 0, bytes.length);
    }

    @Override
    public void applySome(Content content, Random random, double keepFraction) {
      for (int from = 0; from < bytes.length; ) {
        int sectorEnd = (position + from) / SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES - position;
        int to = Math.min(sectorEnd, bytes.length);
        if (random.nextDouble() < keepFraction) {
          content.write(position + from, bytes, from, to);
        } else if (keepFraction > 0 && random.nextBoolean()) {
          // The length can be on the device before the data is.
          content.extend(position + to);
          if (random.nextInt(TORN_ONE_IN) == 0) {
            content.write(position + from, bytes, from, from + random.nextInt(to - from));
          }
        }
        from = to;
      }
    }
  }

  private record Truncate(int length) implements Change {
    @Override
    public void apply(Content content) {
      content.truncate(length);
    }

    @Override
    public void applySome(Content content, Random random, double keepFraction) {
      if (random.nextDouble() < keepFraction) {
        content.truncate(length);
      }
    }
  }

  private Content seen = new Content();
  private Content durable = new Content();
  private final List<Change> unsynced = new ArrayList<>();

  int length() {
    return seen.length;
  }

  byte[] content() {
    return Arrays.copyOf(seen.bytes, seen.length);
  }

  void read(int position, byte[] target) {
    System.arraycopy(seen.bytes, position, target, 0, target.length);
  }

  void write(int position, byte[] bytes) {
    change(new Write(position, bytes));
  }

  void truncate(int length) {
    change(new Truncate(length));
  }

  private void change(Change change) {
    change.apply(seen);
    unsynced.add(change);
  }

  void sync() {
    for (Change change : unsynced) {
      change.apply(durable);
    }
    unsynced.clear();
  }

  /**
   * A sync that the device has refused, as Linux has it: what was written is seen as long as the
   * machine lives, and no later sync brings it to the device. Lengths are kept elsewhere.
   */
  void loseUnsynced() {
    for (Change change : unsynced) {
      if (change instanceof Write write) {
        durable.extend(write.position() + write.bytes().length);
      } else {
        change.apply(durable);
      }
    }
    unsynced.clear();
  }

  /** A sync that the machine did not live to finish. */
  void syncSome(Random random) {
    Content some = durable.copy();
    for (Change change : unsynced) {
      change.applySome(some, random, 0.5);
    }
    durable = some;
  }

  /** What the device has after power loss. */
  CrashableFile survivor(Random random, double keepFraction) {
    CrashableFile survivor = new CrashableFile();
    survivor.durable = durable.copy();
    for (Change change : unsynced) {
      change.applySome(survivor.durable, random, keepFraction);
    }
    survivor.seen = survivor.durable.copy();
    return survivor;
  }
}
