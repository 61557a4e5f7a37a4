package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.Lookup;
import dev.varve.wal.OffHeap;
import dev.varve.wal.OffHeapRegion;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Sorted entries in memory, old versions and tombstones included.
 *
 * <p>One thread at a time adds (the writer); any number of threads read meanwhile, without locks
 * and without making the writer wait. It is shared by reference count: it starts with one holder,
 * every open cursor is another, and the last to release it frees its memory. Whoever calls any
 * other method holds a reference meanwhile: freed memory must never be read.
 */
public final class Memtable {
  private final ConcurrentSkipListMap<Position, OffHeapRegion> entries =
      new ConcurrentSkipListMap<>();
  private final OffHeap offHeap;
  private final AtomicInteger holders = new AtomicInteger(1);
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong tombstones = new AtomicLong();

  private record Position(byte[] key, long sequence, boolean tombstone)
      implements Comparable<Position> {
    @Override
    public int compareTo(Position other) {
      int byKey = Arrays.compareUnsigned(key, other.key);
      return byKey != 0 ? byKey : Long.compare(other.sequence, sequence);
    }
  }

  /** An empty memtable whose memory is accounted as {@link OffHeap.Part#MEMTABLE}. */
  public Memtable(OffHeap offHeap) {
    this.offHeap = offHeap;
  }

  /**
   * Adds an entry. Called by the writer only. No two entries may share key and sequence number.
   *
   * @param tombstone whether the entry says that the key is deleted; the value must be empty then
   * @throws OutOfMemoryError when the operating system has no more; nothing was added then
   */
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      boolean tombstone,
      byte[] value,
      int valueOffset,
      int valueLength) {
    byte[] copy = Arrays.copyOfRange(key, keyOffset, keyOffset + keyLength);
    OffHeapRegion region = offHeap.allocate(OffHeap.Part.MEMTABLE, Math.max(1, valueLength));
    region.buffer().put(0, value, valueOffset, valueLength);
    region.buffer().limit(valueLength);
    bytes.addAndGet(region.bytes());
    count.incrementAndGet();
    if (tombstone) {
      tombstones.incrementAndGet();
    }
    entries.put(new Position(copy, sequence, tombstone), region);
  }

  /**
   * The newest entry of a key up to a sequence number: a copy of its value, {@link
   * Lookup#TOMBSTONE} if it is one, or null if there is none.
   */
  public byte @Nullable [] get(byte[] key, int offset, int length, long sequence) {
    byte[] copy = Arrays.copyOfRange(key, offset, offset + length);
    Map.Entry<Position, OffHeapRegion> at =
        entries.ceilingEntry(new Position(copy, sequence, false));
    if (at == null || !Arrays.equals(at.getKey().key, copy)) {
      return null;
    }
    if (at.getKey().tombstone) {
      return Lookup.TOMBSTONE;
    }
    byte[] value = new byte[at.getValue().buffer().limit()];
    at.getValue().buffer().get(0, value);
    return value;
  }

  /**
   * A walk over all entries, in both directions, beside the writer: entries that are added later
   * may or may not be seen. It holds a reference until it is closed.
   */
  public EntryCursor cursor() {
    retain();
    return new Cursor();
  }

  /** Off-heap bytes held. Any thread. */
  public long bytes() {
    return bytes.get();
  }

  /** Entries added, tombstones included. Any thread. */
  public long entries() {
    return count.get();
  }

  /** Tombstones added. Any thread. */
  public long tombstones() {
    return tombstones.get();
  }

  /** Takes a reference, unless the last one is gone already: then false. Any thread. */
  public boolean tryRetain() {
    int seen = holders.get();
    while (seen > 0) {
      int now = holders.compareAndExchange(seen, seen + 1);
      if (now == seen) {
        return true;
      }
      seen = now;
    }
    return false;
  }

  /** Takes a reference. The caller holds one already, or the memtable is reachable to none. */
  public void retain() {
    if (!tryRetain()) {
      throw new IllegalStateException("memtable was freed");
    }
  }

  /** Gives a reference back; the last one frees the memory. Any thread. */
  public void release() {
    int left = holders.decrementAndGet();
    if (left == 0) {
      entries.values().forEach(OffHeapRegion::release);
    } else if (left < 0) {
      throw new IllegalStateException("memtable released more often than retained");
    }
  }

  private final class Cursor implements EntryCursor {
    private static final byte[] EMPTY = new byte[0];
    private Map.@Nullable Entry<Position, OffHeapRegion> at;
    private boolean closed;

    @Override
    public boolean seekToFirst() {
      at = entries.firstEntry();
      return at != null;
    }

    @Override
    public boolean seekToLast() {
      at = entries.lastEntry();
      return at != null;
    }

    @Override
    public boolean seek(byte[] key, int offset, int length, long sequence) {
      byte[] copy = Arrays.copyOfRange(key, offset, offset + length);
      at = entries.ceilingEntry(new Position(copy, sequence, false));
      return at != null;
    }

    @Override
    public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
      byte[] copy = Arrays.copyOfRange(key, offset, offset + length);
      at = entries.lowerEntry(new Position(copy, sequence, false));
      return at != null;
    }

    @Override
    public boolean next() {
      at = entries.higherEntry(position());
      return at != null;
    }

    @Override
    public boolean previous() {
      at = entries.lowerEntry(position());
      return at != null;
    }

    private Position position() {
      return entry().getKey();
    }

    private Map.Entry<Position, OffHeapRegion> entry() {
      Map.Entry<Position, OffHeapRegion> now = at;
      if (now == null) {
        throw new IllegalStateException("the cursor is not at an entry");
      }
      return now;
    }

    @Override
    public boolean isValid() {
      return at != null;
    }

    @Override
    public byte[] keyBuffer() {
      return at == null ? EMPTY : position().key;
    }

    @Override
    public int keyLength() {
      return keyBuffer().length;
    }

    @Override
    public long sequence() {
      return position().sequence;
    }

    @Override
    public boolean isTombstone() {
      return position().tombstone;
    }

    @Override
    public ByteBuffer valueBuffer() {
      return entry().getValue().buffer();
    }

    @Override
    public int valueOffset() {
      return 0;
    }

    @Override
    public int valueLength() {
      return entry().getValue().buffer().limit();
    }

    @Override
    public void close() {
      at = null;
      if (!closed) {
        closed = true;
        release();
      }
    }
  }
}
