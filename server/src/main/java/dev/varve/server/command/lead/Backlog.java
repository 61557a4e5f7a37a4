package dev.varve.server.command.lead;

import org.jspecify.annotations.Nullable;

/**
 * The last bytes of the stream, in blocks of which each knows the next: those that nobody reads and
 * nobody may ask for any more go by themselves.
 *
 * <p>One thread writes; each reader is another one's.
 */
public final class Backlog {
  static final int BLOCK_BYTES = 64 << 10;

  private static final class Block {
    final byte[] bytes = new byte[BLOCK_BYTES];
    final long start;

    /** Is there before anything of it is published. */
    @Nullable Block next;

    Block(long start) {
      this.start = start;
    }

    long end() {
      return start + BLOCK_BYTES;
    }
  }

  private Block first;
  private Block last;
  private long end;
  private volatile long published;

  /**
   * @param start the offset of the first byte
   */
  public Backlog(long start) {
    this.first = new Block(start);
    this.last = first;
    this.end = start;
    this.published = start;
  }

  /** Adds bytes behind all others, which nobody sees yet. */
  void add(byte[] bytes, int length) {
    int done = 0;
    while (done < length) {
      int at = (int) (end - last.start);
      if (at == BLOCK_BYTES) {
        Block more = new Block(end);
        last.next = more;
        last = more;
        at = 0;
      }
      int part = Math.min(length - done, BLOCK_BYTES - at);
      System.arraycopy(bytes, done, last.bytes, at, part);
      done += part;
      end += part;
    }
  }

  /**
   * Forgets the first bytes, but for {@code bytesMax} of the last or some more, and for what is not
   * published.
   */
  void trim(long bytesMax) {
    Block second = first.next;
    while (second != null && end - second.start >= bytesMax && second.start <= published) {
      first = second;
      second = first.next;
    }
  }

  /** The offset of the first byte there is. Writer. */
  public long start() {
    return first.start;
  }

  /** The offset behind the last one. Writer. */
  public long end() {
    return end;
  }

  /** Readers see what comes before {@code offset}. Writer. */
  public void publish(long offset) {
    published = offset;
  }

  /** Up to where readers see it. Any thread. */
  public long published() {
    return published;
  }

  /**
   * Reads from an offset on that is not before {@link #start}, nor behind the end; it may be ahead
   * of what is published. Writer.
   */
  public Reader reader(long offset) {
    Block block = first;
    while (offset > block.end() || (offset == block.end() && block.next != null)) {
      Block next = block.next;
      if (next == null) {
        throw new IllegalArgumentException(offset + " is behind " + end);
      }
      block = next;
    }
    if (offset < block.start || offset > end) {
      throw new IllegalArgumentException(offset + " is not from " + first.start + " to " + end);
    }
    return new Reader(block, offset);
  }

  /** Takes a piece of the stream. */
  @FunctionalInterface
  public interface Taker {
    /** Takes {@code bytes[from, to)}, which do not change any more. */
    void take(byte[] bytes, int from, int to);
  }

  /** Where one who reads is. For one thread. */
  public final class Reader {
    private Block block;
    private long offset;

    private Reader(Block block, long offset) {
      this.block = block;
      this.offset = offset;
    }

    /** Hands over the next piece there is; false if there is none. */
    public boolean read(Taker taker) {
      long seen = published;
      if (offset >= seen) {
        return false;
      }
      Block next = block.next;
      if (offset == block.end() && next != null) {
        block = next;
      }
      int from = (int) (offset - block.start);
      int to = (int) (Math.min(seen, block.end()) - block.start);
      taker.take(block.bytes, from, to);
      offset = block.start + to;
      return true;
    }

    /** Of the next byte. */
    public long offset() {
      return offset;
    }

    /** Whether there is something to read. */
    public boolean isBehind() {
      return offset < published;
    }
  }
}
