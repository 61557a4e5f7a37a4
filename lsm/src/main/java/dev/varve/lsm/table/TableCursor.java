package dev.varve.lsm.table;

import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.ReadMode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A walk over one table. For one thread; holds a reference to the table and one block. */
final class TableCursor implements EntryCursor {
  private static final int KEY_ROOM_AT_FIRST = 64;

  /** After so many neighbouring blocks in a row a walk is a long one. */
  private static final int SCAN_BLOCKS = 4;

  private final TableReader table;
  private final ReadContext context;
  private final PassReads reads;
  private @Nullable ReadAhead readAhead;
  private @Nullable Block block;
  private int ordinal;

  /** How many blocks were entered one after another, negative when going backward. */
  private int run;

  private int entry;
  private boolean valid;
  private byte[] key = new byte[KEY_ROOM_AT_FIRST];
  private int keyLength;
  private boolean closed;

  TableCursor(TableReader table, ReadContext context, PassReads reads) {
    this.table = table;
    this.context = context;
    this.reads = reads;
    this.readAhead = context.mode() == ReadMode.MAY_BLOCK_UNCACHED ? table.readAhead(reads) : null;
  }

  @Override
  public boolean seekToFirst() {
    return at(enter(0), 0);
  }

  @Override
  public boolean seekToLast() {
    Block last = enter(table.blocks() - 1);
    return at(last, last.entries() - 1);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long sequence) {
    int found = table.index().lowerBound(key, offset, length, sequence);
    if (found == table.blocks()) {
      return nowhere();
    }
    Block entered = enter(found);
    int bound = entered.lowerBound(key, offset, length, sequence);
    return bound < entered.entries() ? at(entered, bound) : nextBlock();
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length, long sequence) {
    int found = table.index().lowerBound(key, offset, length, sequence);
    if (found == table.blocks()) {
      return seekToLast();
    }
    Block entered = enter(found);
    int bound = entered.lowerBound(key, offset, length, sequence);
    return bound > 0 ? at(entered, bound - 1) : previousBlock();
  }

  @Override
  public boolean next() {
    Block current = current();
    return entry + 1 < current.entries() ? at(current, entry + 1) : nextBlock();
  }

  @Override
  public boolean previous() {
    Block current = current();
    return entry > 0 ? at(current, entry - 1) : previousBlock();
  }

  private boolean nextBlock() {
    return ordinal + 1 < table.blocks() ? at(enter(ordinal + 1), 0) : nowhere();
  }

  private boolean previousBlock() {
    if (ordinal == 0) {
      return nowhere();
    }
    Block entered = enter(ordinal - 1);
    return at(entered, entered.entries() - 1);
  }

  /** Swaps the held block for another. */
  private Block enter(int wanted) {
    valid = false;
    Block held = block;
    if (held != null && ordinal == wanted) {
      return held;
    }
    Block entered = load(wanted, held == null ? 0 : wanted - ordinal);
    if (held != null) {
      held.release();
    }
    block = entered;
    ordinal = wanted;
    makeKeyRoom(entered.commonBytes());
    entered.copyCommon(key);
    return entered;
  }

  private Block load(int wanted, int step) {
    ReadAhead ahead = readAhead;
    if (context.mode() == ReadMode.MAY_BLOCK && context.pins() == null) {
      run = step == 1 ? Math.max(run, 0) + 1 : step == -1 ? Math.min(run, 0) - 1 : 0;
      if (Math.abs(run) >= SCAN_BLOCKS) {
        if (ahead == null) {
          ahead = table.readAhead(reads);
          readAhead = ahead;
        }
        return table.blockOfScan(wanted, ahead);
      }
      return table.block(wanted, context);
    }
    if (ahead == null) {
      return table.block(wanted, context);
    }
    reads.entered();
    return table.block(wanted, context, ahead);
  }

  private boolean at(Block current, int position) {
    entry = position;
    int room = current.keyRoom(position);
    if (room > key.length) {
      makeKeyRoom(room);
      current.copyCommon(key);
    }
    keyLength = current.copySuffix(position, key);
    valid = true;
    return true;
  }

  private void makeKeyRoom(int bytes) {
    if (bytes > key.length) {
      key = new byte[Math.max(bytes, (int) Math.min(2L * key.length, 1 << 20))];
    }
  }

  private boolean nowhere() {
    valid = false;
    return false;
  }

  private Block current() {
    Block current = block;
    if (!valid || current == null) {
      throw new IllegalStateException("the cursor is not at an entry");
    }
    return current;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  @Override
  public byte[] keyBuffer() {
    return key;
  }

  @Override
  public int keyLength() {
    return keyLength;
  }

  @Override
  public long sequence() {
    return current().sequence(entry);
  }

  @Override
  public boolean isTombstone() {
    return current().isTombstone(entry);
  }

  @Override
  public ByteBuffer valueBuffer() {
    return current().buffer();
  }

  @Override
  public int valueOffset() {
    return current().valueOffset(entry);
  }

  @Override
  public int valueLength() {
    return current().valueLength(entry);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      valid = false;
      Block held = block;
      block = null;
      if (held != null) {
        held.release();
      }
      ReadAhead ahead = readAhead;
      if (ahead != null) {
        ahead.close();
      }
      table.release();
    }
  }
}
