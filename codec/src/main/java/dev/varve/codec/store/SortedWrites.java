package dev.varve.codec.store;

import java.util.Arrays;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Many writes in key order, at most one per key.
 *
 * <p>Used by one thread. What is handed out may be a copy of what was handed in, but for {@link
 * StoreBatch#DELETED} and {@link StoreBatch#INSERTED}.
 */
final class SortedWrites {
  /*
   * The lowest two levels of a B-tree: pages of neighbouring writes, and an array of the pages. Who
   * writes much does so in order, or walks over what it has just written. So the page that was looked at
   * last is tried first, and one that is full stays full where the next key comes behind it. A tree of
   * nodes, one for each key, takes a fetch from memory and a comparison for each of its levels, of which a
   * hundred thousand writes have seventeen. A page that is full and left behind is packed.
   */

  private static final int FIRST_PAGES = 4;

  /** A power of two. */
  private static final int KINDS = 8;

  /** None of them is empty. */
  private WritePage[] pages = new WritePage[FIRST_PAGES];

  private int pageCount;
  private int size;

  /**
   * The page that was written last, by the first byte of its keys: entries of several kinds come in
   * turns.
   */
  private final int[] written = new int[KINDS];

  /** The page that a walk came to last. */
  private int walked;

  /** How many keys are written. */
  int size() {
    return size;
  }

  /** What is written under {@code key}, or null for nothing. */
  byte @Nullable [] get(byte[] key) {
    int kind = kind(key);
    int number = page(written[kind], key);
    if (number < 0) {
      return null;
    }
    written[kind] = number;
    WritePage page = pages[number];
    int at = page.find(key);
    return at < 0 ? null : page.value(at);
  }

  /** Writes {@code key}; returns what was written under it before, or null for nothing. */
  byte @Nullable [] put(byte[] key, byte[] value) {
    if (size == 0) {
      pages[pageCount++] = new WritePage();
      pages[0].insert(0, key, value);
      size = 1;
      return null;
    }
    int kind = kind(key);
    int number = Math.max(0, page(written[kind], key));
    WritePage page = pages[number];
    int at = page.find(key);
    if (at >= 0) {
      byte[] before = page.value(at);
      page.set(at, value);
      return before;
    }
    at = ~at;
    if (page.isFull()) {
      // Nothing moves where keys come in order.
      boolean isBehind = at == page.size();
      int middle = isBehind ? at : page.size() / 2;
      split(number, middle);
      if (isBehind) {
        page.pack();
      }
      if (at > middle || isBehind) {
        at -= middle;
        number++;
        page = pages[number];
      }
    }
    page.insert(at, key, value);
    written[kind] = number;
    size++;
    return null;
  }

  private static int kind(byte[] key) {
    return key.length == 0 ? 0 : key[0] & (KINDS - 1);
  }

  private void split(int number, int middle) {
    // First, for there may be no memory for it, and what is cut off would be nowhere.
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, 2 * pageCount);
    }
    WritePage rest = pages[number].splitOff(middle);
    int at = number + 1;
    System.arraycopy(pages, at, pages, at + 1, pageCount - at);
    pages[at] = rest;
    pageCount++;
  }

  /**
   * The last page that does not begin behind {@code key}; -1 if all do.
   *
   * @param likely the page that is tried first
   */
  private int page(int likely, byte[] key) {
    if (likely >= pageCount || !beginsAtOrBefore(likely, key)) {
      return lastPage(0, Math.min(likely, pageCount), key);
    }
    boolean isIt = likely + 1 == pageCount || !beginsAtOrBefore(likely + 1, key);
    return isIt ? likely : lastPage(likely + 2, pageCount, key);
  }

  /**
   * The same where the page before {@code from} does not begin behind it, that at {@code to} does.
   */
  private int lastPage(int from, int to, byte[] key) {
    int low = from;
    int high = to;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (beginsAtOrBefore(middle, key)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private boolean beginsAtOrBefore(int page, byte[] key) {
    return pages[page].compare(0, key) <= 0;
  }

  /** The first write at or after {@code key}. */
  Map.@Nullable Entry<byte[], byte[]> ceiling(byte[] key) {
    return from(key, false);
  }

  /** The first write after {@code key}. */
  Map.@Nullable Entry<byte[], byte[]> higher(byte[] key) {
    return from(key, true);
  }

  private Map.@Nullable Entry<byte[], byte[]> from(byte[] key, boolean isBehind) {
    int number = page(walked, key);
    if (number < 0) {
      walked = 0;
      return entry(0, 0);
    }
    walked = number;
    int found = pages[number].find(key);
    int at = found < 0 ? ~found : isBehind ? found + 1 : found;
    return at < pages[number].size() ? entry(number, at) : entry(number + 1, 0);
  }

  /** The last write before {@code key}. */
  Map.@Nullable Entry<byte[], byte[]> lower(byte[] key) {
    int number = page(walked, key);
    if (number < 0) {
      walked = 0;
      return null;
    }
    walked = number;
    int found = pages[number].find(key);
    int at = (found < 0 ? ~found : found) - 1;
    return at >= 0
        ? entry(number, at)
        : number == 0 ? null : entry(number - 1, pages[number - 1].size() - 1);
  }

  private Map.@Nullable Entry<byte[], byte[]> entry(int page, int at) {
    return page >= pageCount ? null : Map.entry(pages[page].key(at), pages[page].value(at));
  }

  /** Hands over all writes in key order. */
  void forEach(BiConsumer<byte[], byte[]> visitor) {
    for (int i = 0; i < pageCount; i++) {
      WritePage page = pages[i];
      for (int at = 0; at < page.size(); at++) {
        visitor.accept(page.key(at), page.value(at));
      }
    }
  }
}
