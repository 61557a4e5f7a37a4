package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.Arrays;
import java.util.List;

/**
 * The ranges of stored keys that nobody asks for any more, disjoint and in key order: one walk of
 * the garbage records beside the keyspaces, for a compaction to walk beside its input.
 *
 * <p>A pass goes by the newest view: no later reader asks for what is dead there, and earlier ones
 * hold the files that they read. Expiry keys of dead databases are not in these ranges: {@link
 * Databases#isDead} of the same view tells them. Single-threaded.
 */
public final class GarbageWalk implements AutoCloseable {
  /*
   * A garbage key is the prefix of the keys that died, but for the tag. So the records in their order
   * are the ranges in theirs, once for every tag; that of a list that lives is two, before and behind
   * what lives. A database record sorts before those of the collections in it and covers them all:
   * they are stepped over with one seek.
   */
  private final StoreCursor cursor;
  private final byte[] from;
  private int tagAt = -1;
  private boolean found;

  /** Those of the record before the cursor, and which of them is next. */
  private List<DeadRange> ranges = List.of();

  private int rangeAt;

  /**
   * @param view the state whose garbage records count
   * @param from ranges that end at or before this key are left out
   */
  public GarbageWalk(StoreView view, byte[] from) {
    this.cursor = view.cursor(KeyFormat.endOf(KeyFormat.GARBAGE));
    this.from = from;
  }

  /** Goes to the next range; false if there is none. */
  public boolean next() {
    while (true) {
      while (rangeAt < ranges.size()) {
        DeadRange range = ranges.get(rangeAt++);
        if (Arrays.compareUnsigned(range.end(), from) > 0) {
          return true;
        }
      }
      while (!found || cursor.key()[0] != KeyFormat.GARBAGE) {
        if (!seekNextTag()) {
          return false;
        }
      }
      byte tag = GarbageRecord.DATABASE_TAGS[tagAt];
      byte[] garbageKey = cursor.key();
      ranges = GarbageRecord.read(garbageKey, cursor.value()).ranges(tag);
      rangeAt = 0;
      stepOver(garbageKey, tag);
    }
  }

  /** The range that {@link #next} went to; it may begin before what was asked for. */
  public DeadRange range() {
    return ranges.get(rangeAt - 1);
  }

  private void stepOver(byte[] garbageKey, byte tag) {
    if (KeyFormat.isDatabaseGarbage(garbageKey)) {
      found = cursor.seek(KeyFormat.successor(garbageKey));
    } else if (tag == KeyFormat.META) {
      // Only whole databases have dead metas, and the record of this one would have come first.
      int databaseId = KeyFormat.databaseId(garbageKey);
      found = cursor.seek(KeyFormat.successor(KeyFormat.garbage(databaseId)));
    } else {
      found = cursor.next();
    }
  }

  private boolean seekNextTag() {
    byte[] tags = GarbageRecord.DATABASE_TAGS;
    tagAt = Math.min(tagAt + 1, tags.length);
    while (tagAt < tags.length && from.length > 0 && tags[tagAt] < from[0]) {
      tagAt++;
    }
    if (tagAt == tags.length) {
      return false;
    }
    found = seekFirst(tags[tagAt]);
    return true;
  }

  /** Goes to the first record that may cover a key of this tag at or after {@link #from}. */
  private boolean seekFirst(byte tag) {
    if (from.length == 0 || from[0] != tag) {
      return cursor.seek(new byte[] {KeyFormat.GARBAGE});
    }
    byte[] garbageFrom = withTag(from, KeyFormat.GARBAGE);
    if (from.length >= KeyFormat.garbage(0).length) {
      byte[] database = KeyFormat.garbage(KeyFormat.databaseId(from));
      if (cursor.seek(database) && Arrays.equals(cursor.key(), database)) {
        return true;
      }
    }
    // A record that covers this key is a prefix of it, so it is the last one at or before it.
    byte[] justAfter = KeyFormat.justAfter(garbageFrom);
    if (cursor.seekBefore(justAfter) && KeyFormat.startsWith(garbageFrom, cursor.key())) {
      return true;
    }
    return cursor.seek(garbageFrom);
  }

  private static byte[] withTag(byte[] key, byte tag) {
    byte[] tagged = key.clone();
    tagged[0] = tag;
    return tagged;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
