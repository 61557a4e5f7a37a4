package dev.varve.server.engine;

import dev.varve.lsm.entry.KeyWords;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Stretches of one keyspace that do not overlap, in the order of where they begin. Places are told
 * by suffixes of keys: all of an array from an offset on.
 *
 * <p>Keyspace loop only.
 */
final class SortedStretches {
  /*
   * A search among a hundred thousand stretches that looked at the start of each would wait for
   * three fetches a step, one behind the other: the first words of all starts of a page lie side by
   * side, and so do those of all pages. Pages keep short what moves when a stretch comes or goes:
   * who reads here and there in a large set has hundreds of thousands that do.
   */
  private static final int PAGE_STRETCHES = 256;

  private static final int FIRST_STRETCHES = 2;

  private static final class Page {
    private Stretch[] stretches = new Stretch[FIRST_STRETCHES];

    /** The first word of each one's start, as {@link KeyWords} has it. */
    private long[] startWords = new long[FIRST_STRETCHES];

    private int count;

    /** How many begin before a place, or at it, if they count as well. */
    private int starting(byte[] key, int offset, long word, boolean orAt) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (isStarting(middle, startWords[middle], key, offset, word, orAt)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    private boolean isStarting(
        int at, long startWord, byte[] key, int offset, long word, boolean orAt) {
      if (startWord != word) {
        return Long.compareUnsigned(startWord, word) < 0;
      }
      Stretch its = stretches[at];
      return orAt ? its.startsAtOrBefore(key, offset) : its.startsBefore(key, offset);
    }

    private void insert(int at, Stretch stretch, long startWord) {
      if (count == stretches.length) {
        startWords = Arrays.copyOf(startWords, 2 * count);
        // Last, since its length is looked at: there may be no memory for both.
        stretches = Arrays.copyOf(stretches, 2 * count);
      }
      System.arraycopy(stretches, at, stretches, at + 1, count - at);
      System.arraycopy(startWords, at, startWords, at + 1, count - at);
      stretches[at] = stretch;
      startWords[at] = startWord;
      count++;
    }

    private void delete(int at) {
      System.arraycopy(stretches, at + 1, stretches, at, count - at - 1);
      System.arraycopy(startWords, at + 1, startWords, at, count - at - 1);
      stretches[--count] = null;
    }

    /** The second half, which leaves this one. */
    private Page splitOff() {
      Page upper = new Page();
      int kept = count / 2;
      upper.count = count - kept;
      upper.stretches = Arrays.copyOfRange(stretches, kept, count);
      upper.startWords = Arrays.copyOfRange(startWords, kept, count);
      Arrays.fill(stretches, kept, count, null);
      count = kept;
      return upper;
    }
  }

  /** None is empty, but for the first one if it is the only one. */
  private Page[] pages = {new Page()};

  /** The first word of each page's start. */
  private long[] pageWords = new long[1];

  private int pageCount = 1;

  boolean isEmpty() {
    return pages[0].count == 0;
  }

  /** The last one. There is one. */
  Stretch last() {
    Page page = pages[pageCount - 1];
    return page.stretches[page.count - 1];
  }

  /**
   * The last one that begins before a place, or at it, if that counts as well; null if none does.
   */
  @Nullable Stretch lastFrom(byte[] key, int offset, boolean orAt) {
    long word = KeyWords.first(key, offset);
    Page page = pages[pageOf(key, offset, word, orAt)];
    int starting = page.starting(key, offset, word, orAt);
    return starting == 0 ? null : page.stretches[starting - 1];
  }

  /** The first one that begins after a place, or null. */
  @Nullable Stretch firstAfter(byte[] key, int offset) {
    long word = KeyWords.first(key, offset);
    int number = pageOf(key, offset, word, true);
    int starting = pages[number].starting(key, offset, word, true);
    if (starting < pages[number].count) {
      return pages[number].stretches[starting];
    }
    return number + 1 < pageCount ? pages[number + 1].stretches[0] : null;
  }

  /** The last page whose first stretch begins before a place, or at it; the first if none does. */
  private int pageOf(byte[] key, int offset, long word, boolean orAt) {
    int low = 1;
    int high = pageCount;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pages[middle].isStarting(0, pageWords[middle], key, offset, word, orAt)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * One of them, each as likely as any other, or null, which is to be tried again. They are not
   * empty.
   */
  @Nullable Stretch any(RandomGenerator random) {
    Page page = pages[random.nextInt(pageCount)];
    int at = random.nextInt(pageCount == 1 ? page.count : PAGE_STRETCHES);
    return at < page.count ? page.stretches[at] : null;
  }

  void add(Stretch stretch) {
    byte[] from = stretch.from();
    long word = KeyWords.first(from, 0);
    int number = pageOf(from, 0, word, false);
    Page page = pages[number];
    int at = page.starting(from, 0, word, false);
    page.insert(at, stretch, word);
    if (at == 0) {
      pageWords[number] = word;
    }
    if (page.count == PAGE_STRETCHES) {
      insertPage(number + 1, page.splitOff());
    }
  }

  private void insertPage(int number, Page page) {
    if (pageCount == pages.length) {
      pageWords = Arrays.copyOf(pageWords, 2 * pageCount);
      // As the stretches of a page.
      pages = Arrays.copyOf(pages, 2 * pageCount);
    }
    System.arraycopy(pages, number, pages, number + 1, pageCount - number);
    System.arraycopy(pageWords, number, pageWords, number + 1, pageCount - number);
    pages[number] = page;
    pageWords[number] = page.startWords[0];
    pageCount++;
  }

  private void deletePage(int number) {
    System.arraycopy(pages, number + 1, pages, number, pageCount - number - 1);
    System.arraycopy(pageWords, number + 1, pageWords, number, pageCount - number - 1);
    pages[--pageCount] = null;
  }

  /** Takes away one that is here. */
  void remove(Stretch stretch) {
    int number = pageWith(stretch);
    assert number >= 0 : "it is not here";
    if (number < 0) {
      return;
    }
    Page page = pages[number];
    int at = place(page, stretch);
    page.delete(at);
    if (page.count == 0 && pageCount > 1) {
      deletePage(number);
    } else if (at == 0) {
      pageWords[number] = page.startWords[0];
    }
  }

  /** From now on one begins with {@code suffix}; no other one begins or lies between. */
  void moveStart(Stretch stretch, byte[] suffix) {
    int number = pageWith(stretch);
    int at = number < 0 ? 0 : place(pages[number], stretch);
    stretch.setFrom(suffix);
    if (number >= 0) {
      long word = KeyWords.first(suffix, 0);
      pages[number].startWords[at] = word;
      if (at == 0) {
        pageWords[number] = word;
      }
    }
  }

  /** The page that a stretch is in; -1 if it is not here. */
  private int pageWith(Stretch stretch) {
    byte[] from = stretch.from();
    int number = pageOf(from, 0, KeyWords.first(from, 0), true);
    Page page = pages[number];
    int at = place(page, stretch);
    return at < page.count && page.stretches[at] == stretch ? number : -1;
  }

  /** Where the first one of a page is that does not begin before {@code stretch}. */
  private static int place(Page page, Stretch stretch) {
    byte[] from = stretch.from();
    return page.starting(from, 0, KeyWords.first(from, 0), false);
  }
}
