package dev.varve.codec.zset;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.rank.RankFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the counted buckets of a new spread collection whose entries come in order.
 *
 * <p>Used by the thread of its transaction; the layout is on {@link RankFormat}.
 */
final class RankBuilder {
  private final Transaction transaction;
  private final CollectionKeys keys;
  private final RankFormat.Sizes sizes;
  private List<byte[]> firsts = new ArrayList<>();
  private long entries;

  RankBuilder(Transaction transaction, CollectionKeys keys, RankFormat.Sizes sizes) {
    this.transaction = transaction;
    this.keys = keys;
    this.sizes = sizes;
  }

  /** Counts the next entry; {@code suffix} is after all before. */
  void add(byte[] suffix) {
    if (entries % sizes.entriesBuilt() == 0) {
      firsts.add(entries == 0 ? RankFormat.START : suffix);
    }
    entries++;
  }

  /** Writes the buckets and the number of levels, if there are enough entries for any. */
  void finish(Meta meta) {
    if (entries <= sizes.entriesMax()) {
      return;
    }
    int level = 0;
    long children = entries;
    int childrenEach = sizes.entriesBuilt();
    long entriesEach = sizes.entriesBuilt();
    while (true) {
      writeLevel(level, children, childrenEach, entriesEach);
      children = firsts.size();
      level++;
      if (children <= sizes.childrenMax()) {
        break;
      }
      childrenEach = sizes.childrenBuilt();
      entriesEach *= childrenEach;
      firsts = everyFirst(childrenEach);
    }
    meta.setRankLevels(level);
  }

  private void writeLevel(int level, long children, int childrenEach, long entriesEach) {
    long childrenLeft = children;
    long entriesLeft = entries;
    for (byte[] first : firsts) {
      int itsChildren = (int) Math.min(childrenEach, childrenLeft);
      long itsEntries = Math.min(entriesEach, entriesLeft);
      transaction.put(keys.rank(level, first), RankFormat.value(level, itsEntries, itsChildren));
      childrenLeft -= itsChildren;
      entriesLeft -= itsEntries;
    }
  }

  private List<byte[]> everyFirst(int step) {
    List<byte[]> sparse = new ArrayList<>();
    for (int i = 0; i < firsts.size(); i += step) {
      sparse.add(firsts.get(i));
    }
    return sparse;
  }
}
