package dev.varve.lsm.memtable;

import dev.varve.lsm.entry.KeyWords;
import dev.varve.wal.OffHeapRegion;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of one memtable: chunks that fill up and are freed together, and the entries in them.
 *
 * <p>Only the writer allocates. Readers may look at what the writer has published to them.
 */
final class EntryArena {

  /*
   * What is allocated is named by a reference: the chunk's number in the high bits, the offset in
   * units of eight bytes in the low ones. 0 is never given out. What is larger than a quarter of a
   * chunk gets a chunk of its own size, so that little is lost at the ends of the others.
   *
   * An entry, big-endian, aligned to eight bytes:
   *
   *   offset  bytes
   *   0       8      sequence number << 8 | kind (0 a value, 1 a tombstone, 2 a value that was
   *                  inserted: see markInserted)
   *   8       4      length of the key
   *   12      4      length of the value
   *   16             the key, then the value
   */
  static final int KEY = 16;

  private static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 12;
  private static final long TOMBSTONE = 1;
  private static final long INSERTED = 2;
  private static final int UNIT_SHIFT = 3;
  static final int LINE_BYTES = 64;
  private static final int ENTRY_BYTES_MAX = Integer.MAX_VALUE - LINE_BYTES;

  private final MemtableMemory source;
  private final int chunkBytes;
  private final int chunkShift;
  private final int unitMask;
  private final int chunksMax;
  private final AtomicLong heldBytes = new AtomicLong();

  private OffHeapRegion[] regions = new OffHeapRegion[16];
  // Replaced by a longer copy before a reference into a new chunk is published.
  private ByteBuffer[] chunks = new ByteBuffer[16];
  private int chunkCount;

  private int openChunk;
  private int openAt;
  private int openEnd;

  /** An arena without memory yet. */
  EntryArena(MemtableMemory source) {
    this.source = source;
    this.chunkBytes = source.chunkBytes();
    this.chunkShift = Integer.numberOfTrailingZeros(chunkBytes) - UNIT_SHIFT;
    this.unitMask = (1 << chunkShift) - 1;
    this.chunksMax = (int) Math.min(1L << (Integer.SIZE - chunkShift), Integer.MAX_VALUE);
  }

  /** The chunk a reference points into. Big-endian, for absolute access only. */
  ByteBuffer chunk(int reference) {
    return chunks[reference >>> chunkShift];
  }

  /** Where in its chunk a reference points. */
  int offset(int reference) {
    return (reference & unitMask) << UNIT_SHIFT;
  }

  /** Off-heap bytes held. Any thread. */
  long heldBytes() {
    return heldBytes.get();
  }

  /** Frees everything. Nobody may read from here any more. */
  void free() {
    for (int i = 0; i < chunkCount; i++) {
      source.giveBack(regions[i]);
    }
  }

  /** Memory of undefined content that starts a cache line. */
  int allocateLines(int bytes) {
    return allocate(bytes, LINE_BYTES);
  }

  /**
   * Writes an entry; returns its reference.
   *
   * @throws IllegalArgumentException when the entry is larger than a region can be
   */
  int write(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      boolean tombstone,
      byte[] value,
      int valueOffset,
      int valueLength) {
    long bytes = (long) KEY + keyLength + valueLength;
    if (bytes > ENTRY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "an entry of " + bytes + " bytes is larger than " + ENTRY_BYTES_MAX);
    }
    int reference = allocate((int) bytes, 1 << UNIT_SHIFT);
    ByteBuffer memory = chunk(reference);
    int at = offset(reference);
    memory.putLong(at, sequence << Byte.SIZE | (tombstone ? TOMBSTONE : 0));
    memory.putInt(at + KEY_LENGTH, keyLength);
    memory.putInt(at + VALUE_LENGTH, valueLength);
    memory.put(at + KEY, key, keyOffset, keyLength);
    memory.put(at + KEY + keyLength, value, valueOffset, valueLength);
    return reference;
  }

  /** Takes the entry back that was written last, if nothing was allocated behind it. */
  void unwrite(int reference) {
    if (reference >>> chunkShift == openChunk) {
      openAt = offset(reference);
    }
  }

  /** A copy of an entry's key. */
  byte[] copyKey(int reference) {
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    byte[] key = new byte[keyLength(memory, entry)];
    memory.get(entry + KEY, key);
    return key;
  }

  private int allocate(int bytes, int alignment) {
    if (bytes > chunkBytes / 4) {
      // Nothing is at its start, so the reference is not 0 only if it is not the first chunk.
      if (chunkCount == 0) {
        open();
      }
      int rounded = roundUp(bytes, 1 << UNIT_SHIFT);
      return addChunk(source.take(rounded + alignment), alignment);
    }
    int at = aligned(alignment);
    if (at > openEnd - bytes) {
      open();
      at = aligned(alignment);
    }
    openAt = roundUp(at + bytes, 1 << UNIT_SHIFT);
    return openChunk << chunkShift | at >>> UNIT_SHIFT;
  }

  /** The first free offset of the open chunk whose address has the alignment. */
  private int aligned(int alignment) {
    if (openEnd == 0 || alignment == 1 << UNIT_SHIFT) {
      return openAt;
    }
    int over = chunks[openChunk].alignmentOffset(openAt, alignment);
    return over == 0 ? openAt : openAt + alignment - over;
  }

  private void open() {
    int first = addChunk(source.takeChunk(), LINE_BYTES);
    openChunk = first >>> chunkShift;
    openAt = offset(first) + (openChunk == 0 ? LINE_BYTES : 0);
    // The same room wherever the chunk lies: when a memtable is full depends on its entries alone.
    openEnd = offset(first) + chunkBytes - LINE_BYTES;
  }

  /** Adds a chunk; returns the reference to its first aligned byte. */
  private int addChunk(OffHeapRegion region, int alignment) {
    if (chunkCount == chunksMax) {
      source.giveBack(region);
      throw new IllegalStateException("the memtable is full: it has " + chunksMax + " chunks");
    }
    int number = chunkCount;
    if (number == chunks.length) {
      int length = (int) Math.min(2L * number, chunksMax);
      regions = Arrays.copyOf(regions, length);
      chunks = Arrays.copyOf(chunks, length);
    }
    regions[number] = region;
    chunks[number] = region.buffer();
    chunkCount = number + 1;
    heldBytes.lazySet(heldBytes.get() + region.bytes());
    int over = region.buffer().alignmentOffset(0, alignment);
    return number << chunkShift | (over == 0 ? 0 : alignment - over) >>> UNIT_SHIFT;
  }

  private static int roundUp(int bytes, int alignment) {
    return (bytes + alignment - 1) & -alignment;
  }

  static long sequence(ByteBuffer memory, int entry) {
    return memory.getLong(entry) >>> Byte.SIZE;
  }

  static boolean isTombstone(ByteBuffer memory, int entry) {
    return (memory.getLong(entry) & TOMBSTONE) != 0;
  }

  /**
   * Notes of a value that its key had none when it came, and no version at all in this memtable.
   * Before the entry is published.
   */
  void markInserted(int reference) {
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    memory.putLong(entry, memory.getLong(entry) | INSERTED);
  }

  boolean isTombstone(int reference) {
    return isTombstone(chunk(reference), offset(reference));
  }

  static boolean isInserted(ByteBuffer memory, int entry) {
    return (memory.getLong(entry) & INSERTED) != 0;
  }

  static int keyLength(ByteBuffer memory, int entry) {
    return memory.getInt(entry + KEY_LENGTH);
  }

  static int valueLength(ByteBuffer memory, int entry) {
    return memory.getInt(entry + VALUE_LENGTH);
  }

  /** Reads from the cache lines in which an entry and its key most likely lie. */
  int touch(int reference) {
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    int behind = Math.min(entry + LINE_BYTES / 2, memory.limit() - Integer.BYTES);
    return memory.getInt(entry) + memory.getInt(behind);
  }

  /** The word at {@code from} of an entry's key. */
  long keyWord(int reference, int from) {
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    return KeyWords.wordAt(memory, entry + KEY, keyLength(memory, entry), from);
  }

  /** The word at {@code from} of an entry's key, which leaves out a gap ({@link WordGap}). */
  long keyWord(int reference, int from, int gap) {
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    return WordGap.wordAt(memory, entry + KEY, keyLength(memory, entry), from, gap);
  }

  /** Copies {@code bytes} bytes of an entry's key from {@code from} on, zero-padded to words. */
  void copyKeyPart(int reference, int from, int bytes, ByteBuffer target, int to) {
    for (int at = 0; at < bytes; at += Long.BYTES) {
      target.putLong(to + at, KeyWords.head(keyWord(reference, from + at), bytes - at));
    }
  }

  /** How many first bytes the keys of two entries share. */
  int sharedBytes(int one, int other) {
    ByteBuffer memory = chunk(one);
    int entry = offset(one);
    int length = keyLength(memory, entry);
    ByteBuffer otherMemory = chunk(other);
    int otherEntry = offset(other);
    int both = Math.min(length, keyLength(otherMemory, otherEntry));
    int at = 0;
    while (at + Long.BYTES <= both) {
      long difference =
          memory.getLong(entry + KEY + at) ^ otherMemory.getLong(otherEntry + KEY + at);
      if (difference != 0) {
        return at + Long.numberOfLeadingZeros(difference) / Byte.SIZE;
      }
      at += Long.BYTES;
    }
    while (at < both && memory.get(entry + KEY + at) == otherMemory.get(otherEntry + KEY + at)) {
      at++;
    }
    return at;
  }

  /** How many of {@code bytes} bytes from {@code from} on two entries' keys share, zero-padded. */
  int sharedBytes(int one, int other, int from, int bytes) {
    for (int at = 0; at < bytes; at += Long.BYTES) {
      long difference = keyWord(one, from + at) ^ keyWord(other, from + at);
      if (difference != 0) {
        return Math.min(bytes, at + Long.numberOfLeadingZeros(difference) / Byte.SIZE);
      }
    }
    return bytes;
  }

  /**
   * Compares (key, sequence) with an entry in entry order: by key, then the larger sequence number
   * first. The first {@code from} bytes of the keys are known to be equal as far as both reach.
   */
  int compare(byte[] key, int offset, int length, long sequence, int reference, int from) {
    // A reader may have met the reference in a leaf that the writer is changing: then only this
    // orders the reading of the entry after the reading of the reference.
    VarHandle.acquireFence();
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    int byKey =
        KeyWords.compare(key, offset, length, memory, entry + KEY, keyLength(memory, entry), from);
    return byKey != 0 ? byKey : Long.compare(sequence(memory, entry), sequence);
  }

  /**
   * Compares the first {@code bytes} bytes of the key with those of an entry's key: less when it
   * ends within them.
   */
  int compareHead(byte[] key, int offset, int length, int reference, int bytes) {
    VarHandle.acquireFence();
    ByteBuffer memory = chunk(reference);
    int entry = offset(reference);
    // A reader may have read the count of bytes and the entry from different states of a leaf.
    int theirs = Math.min(bytes, keyLength(memory, entry));
    return KeyWords.compare(key, offset, Math.min(length, theirs), memory, entry + KEY, theirs, 0);
  }

  /** Compares {@code bytes} bytes from {@code from} on with those of an entry, zero-padded. */
  int comparePart(byte[] key, int offset, int length, int reference, int from, int bytes) {
    VarHandle.acquireFence();
    for (int at = 0; at < bytes; at += Long.BYTES) {
      long theirs = KeyWords.head(keyWord(reference, from + at), bytes - at);
      long ours = KeyWords.head(KeyWords.wordAt(key, offset, length, from + at), bytes - at);
      if (ours != theirs) {
        return Long.compareUnsigned(ours, theirs);
      }
    }
    return 0;
  }
}
