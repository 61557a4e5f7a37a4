package dev.varve.lsm.table;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of a table that is being written, in the cache before there is a reader who could ask for
 * them: whoever read the table's entries where they came from finds them in memory here too.
 *
 * <p>For the thread of the table's writer, until {@link BlockCache#adopt} hands them to the reader.
 */
final class WrittenBlocks {
  /*
   * They count in the cache from the moment they are added, and may leave it again before the table
   * is open: the list then still has the block, which is in no queue any more.
   */

  private final BlockCache cache;
  private final long table;
  private final @Nullable PassReads inputs;
  private final List<@Nullable Block> blocks = new ArrayList<>();

  /**
   * @param table the table's number
   * @param inputs decides which blocks are kept: those that come from what is in memory; null for
   *     what comes from a memtable, all of it
   */
  WrittenBlocks(BlockCache cache, long table, @Nullable PassReads inputs) {
    this.cache = cache;
    this.table = table;
    this.inputs = inputs;
  }

  /** The table's next block, {@code raw[0, rawBytes)}, was stored in {@code file}. */
  void add(ByteBuffer raw, int rawBytes, String file) throws IOException {
    PassReads reads = inputs;
    boolean isWanted = reads == null || reads.takeWarmth();
    // One value may be longer than all of the cache: then it is not even copied.
    if (!isWanted || !cache.hasRoomEver(rawBytes)) {
      blocks.add(null);
      return;
    }
    long key = BlockSlots.key(table, blocks.size());
    // Readers use what a warm input had. What was written only is on probation.
    blocks.add(cache.keepWritten(key, raw, rawBytes, file, reads != null));
  }

  /** The table is complete: its reader takes the blocks over, or {@link BlockCache#forget}. */
  void complete() {
    cache.announce(this);
  }

  /** There will be no such table. */
  void drop() {
    cache.drop(this);
  }

  long table() {
    return table;
  }

  int count() {
    return blocks.size();
  }

  /** Null if it was not kept. */
  @Nullable Block get(int ordinal) {
    return blocks.get(ordinal);
  }
}
