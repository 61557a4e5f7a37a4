package dev.varve.server.command.lead;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The last bytes of the stream, in blocks of which each knows the next: those that come before all
 * who read, all marks and what anybody may ask for go by themselves. Those that are read late can
 * be moved out of memory.
 *
 * <p>One thread writes; each reader is another one's, and who moves blocks a third.
 */
public final class Backlog {
  static final int BLOCK_BYTES = 64 << 10;

  private static final class Block {
    final long start;

    /** Null once it was moved. */
    volatile byte @Nullable [] bytes = new byte[BLOCK_BYTES];

    /** Where it was moved to. */
    volatile Overflow.@Nullable Place place;

    /** Is there before anything of it is published. */
    @Nullable Block next;

    Block(long start) {
      this.start = start;
    }

    long end() {
      return start + BLOCK_BYTES;
    }

    /** What it has, from wherever it is. */
    byte[] read() throws IOException {
      byte[] here = bytes;
      // The place is there before the bytes are not.
      return here != null ? here : requireNonNull(place).read();
    }
  }

  private Block first;
  private Block last;
  private long end;
  private volatile long published;

  /** Of what comes before that, some was moved and could not be read again. */
  private final AtomicLong readableFrom = new AtomicLong(Long.MIN_VALUE);

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
      // The last one is never moved.
      System.arraycopy(bytes, done, requireNonNull(last.bytes), at, part);
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
    return new Reader(block(first, offset), offset);
  }

  /** Whether all from an offset on can be read, as far as anybody has found out. Any thread. */
  public boolean isReadableFrom(long offset) {
    return offset >= readableFrom.get();
  }

  private Block block(Block from, long offset) {
    if (offset < from.start || offset > end) {
      throw new IllegalArgumentException(offset + " is not from " + from.start + " to " + end);
    }
    Block block = from;
    Block next = block.next;
    while (offset >= block.end() && next != null) {
      block = next;
      next = block.next;
    }
    return block;
  }

  /** A place from which on all is kept. Writer, but for what says any thread. */
  public final class Mark {
    private volatile Block block;
    private volatile long offset;

    private Mark(Block block, long offset) {
      this.block = block;
      this.offset = offset;
    }

    /** Of the first byte that is kept. Any thread. */
    public long offset() {
      return offset;
    }

    /** Whether it is in that one. Any thread. */
    public boolean isOf(@Nullable Backlog its) {
      return its == Backlog.this;
    }

    /** Whether all can be read that it keeps, as far as anybody has found out. Any thread. */
    public boolean isReadable() {
      return isReadableFrom(offset);
    }

    /** Whether it is in the same one as another, and before it there. */
    boolean isBefore(Mark other) {
      return other.isOf(Backlog.this) && offset < other.offset;
    }

    /** What comes before {@code to}, if that is published, need not be kept. */
    public void advance(long to) {
      long its = Math.min(to, published);
      if (its > offset) {
        block = block(block, its);
        offset = its;
      }
    }

    /** Reads from an offset on that is not before this one, nor behind the end. */
    public Reader reader(long from) {
      return new Reader(block(block, from), from);
    }

    /** Who moves what comes from here on out of memory. */
    public Mover mover() {
      return new Mover(block);
    }
  }

  /** Takes a piece of the stream. */
  @FunctionalInterface
  public interface Taker {
    /** Takes {@code bytes[from, to)}, which do not change any more. */
    void take(byte[] bytes, int from, int to);
  }

  /** Where one who moves blocks is. For one thread. */
  public final class Mover {
    private Block block;

    private Mover(Block block) {
      this.block = block;
    }

    /**
     * Moves the next block, if it ends at or before {@code before}; those that end at or before
     * {@code unread} are passed over, as nobody reads them.
     *
     * @return false if there is none, or no room for it
     */
    public boolean move(Overflow overflow, long unread, long before) throws IOException {
      // Readers see what comes before that, and this thread the blocks that have it.
      long seen = Math.min(published, before);
      while (block.end() <= seen) {
        Block its = block;
        Block next = its.next;
        if (next == null) {
          return false;
        }
        byte[] bytes = its.bytes;
        boolean isWanted = its.end() > unread && bytes != null;
        if (isWanted && bytes != null) {
          Overflow.Place place = overflow.put(bytes, its.end());
          if (place == null) {
            return false;
          }
          its.place = place;
          its.bytes = null;
        }
        block = next;
        if (isWanted) {
          return true;
        }
      }
      return false;
    }

    /** Up to where blocks were moved, or passed over. */
    public long offset() {
      return block.start;
    }
  }

  /** Where one who reads is. For one thread. */
  public final class Reader {
    private Block block;
    private long offset;

    private Reader(Block block, long offset) {
      this.block = block;
      this.offset = offset;
    }

    /**
     * Hands over the next piece there is; false if there is none.
     *
     * @throws IOException when it was moved, and cannot be read: nobody can go on before its end
     */
    public boolean read(Taker taker) throws IOException {
      long seen = published;
      if (offset >= seen) {
        return false;
      }
      Block its = block;
      Block next = its.next;
      if (offset == its.end() && next != null) {
        its = next;
        block = next;
      }
      int from = (int) (offset - its.start);
      int to = (int) (Math.min(seen, its.end()) - its.start);
      taker.take(bytes(its), from, to);
      offset = its.start + to;
      return true;
    }

    private byte[] bytes(Block its) throws IOException {
      try {
        return its.read();
      } catch (IOException lost) {
        readableFrom.accumulateAndGet(its.end(), Math::max);
        throw lost;
      }
    }

    /** Of the next byte. */
    public long offset() {
      return offset;
    }

    /** Keeps what comes next. Before anybody has read by this one. */
    Mark mark() {
      return new Mark(block, offset);
    }

    /** Whether there is something to read. */
    public boolean isBehind() {
      return offset < published;
    }
  }
}
