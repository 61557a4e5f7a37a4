package dev.varve.codec.store;

import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The reference {@link Store}: every write is kept with its sequence number, so that views stay as
 * they were.
 *
 * <p>Safe for use by several threads.
 */
public final class InMemoryStore implements Store {

  /** Behind all keys. */
  public static final byte[] END = {(byte) 0xFF};

  private static final class Version {
    final long sequence;
    final byte @Nullable [] value;
    final @Nullable Version older;

    Version(long sequence, byte @Nullable [] value, @Nullable Version older) {
      this.sequence = sequence;
      this.value = value;
      this.older = older;
    }
  }

  private final ConcurrentSkipListMap<byte[], Version> entries =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  private final Map<Long, Long> counters = new TreeMap<>();
  private final Map<Long, Integer> openViews = new TreeMap<>();
  private final Map<byte[], ResidentRows> residents = new TreeMap<>(Arrays::compareUnsigned);
  private boolean keepsResident;
  private boolean showsBeyondBounds;
  private long sequence;
  private long deletedPassed;
  private long valuesRead;
  private long cursorsOpened;

  /** From now on the writer's views keep rows resident that they are asked for. */
  public void keepResident() {
    keepsResident = true;
  }

  /**
   * From now on cursors show what lies beyond their bounds, as {@link StoreCursor#within} allows.
   */
  public void showBeyondBounds() {
    showsBeyondBounds = true;
  }

  /** How many deleted entries cursors have passed since this was asked last. */
  public long takeDeletedPassed() {
    long passed = deletedPassed;
    deletedPassed = 0;
    return passed;
  }

  /** How often cursors were asked for a value, or its start, since this was asked last. */
  public long takeValuesRead() {
    long read = valuesRead;
    valuesRead = 0;
    return read;
  }

  /** How many cursors were opened since this was asked last. */
  public long takeCursorsOpened() {
    long opened = cursorsOpened;
    cursorsOpened = 0;
    return opened;
  }

  /** How many prefixes have resident rows. */
  public int residents() {
    return residents.size();
  }

  @Override
  public StoreView view() {
    return view(false);
  }

  @Override
  public StoreView writerView() {
    return view(keepsResident);
  }

  private synchronized StoreView view(boolean hasResidents) {
    openViews.merge(sequence, 1, Integer::sum);
    return new View(sequence, hasResidents);
  }

  @Override
  public synchronized long nextSequence() {
    return sequence + 1;
  }

  @Override
  public synchronized void write(StoreChanges changes) {
    long written = sequence + Math.max(1, changes.sequencesReserved());
    changes.accept(
        new StoreBatch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            if (value == StoreBatch.INSERTED) {
              requireNone(key);
            }
            tellResidents(key, value);
            add(key, value);
          }

          @Override
          public void delete(byte[] key) {
            tellResidents(key, null);
            add(key, null);
          }

          @Override
          public void change(ResidentRows.Change change) {
            change.apply();
            change.rows().settle(this::add);
          }

          @Override
          public void count(long counterId, long delta) {
            counters.merge(counterId, delta, Long::sum);
          }

          /** A store may forget what is inserted and deleted: nothing may appear from under it. */
          private void requireNone(byte[] key) {
            Version its = entries.get(key);
            if (its != null && its.value != null) {
              throw new IllegalStateException(
                  "inserted where there is a value: " + Arrays.toString(key));
            }
          }

          private void add(byte[] key, byte @Nullable [] value) {
            Version older = openViews.isEmpty() ? null : entries.get(key);
            if (value == null && older == null) {
              entries.remove(key);
            } else {
              entries.put(key, new Version(written, value, older));
            }
          }
        });
    sequence = written;
  }

  private void tellResidents(byte[] key, byte @Nullable [] value) {
    for (ResidentRows rows : residents.values()) {
      int length = rows.prefix().length;
      if (key.length > length && Arrays.equals(key, 0, length, rows.prefix(), 0, length)) {
        rows.written(key, value);
      }
    }
  }

  @Override
  public synchronized long counter(long id) {
    return counters.getOrDefault(id, 0L);
  }

  /** How many keys have a value now. */
  public synchronized int size() {
    int size = 0;
    for (Version newest : entries.values()) {
      size += newest.value == null ? 0 : 1;
    }
    return size;
  }

  private synchronized void release(long at) {
    openViews.merge(at, -1, (held, one) -> held == 1 ? null : held + one);
  }

  private final class View implements StoreView {
    private final long at;
    private final boolean hasResidents;
    private byte[] brief = {};
    private boolean closed;

    View(long at, boolean hasResidents) {
      this.at = at;
      this.hasResidents = hasResidents;
    }

    @Override
    public @Nullable ResidentRows resident(byte[] prefix, ResidentRows.@Nullable Loader loader) {
      if (hasResidents && loader != null && !residents.containsKey(prefix)) {
        ResidentRows loaded = loader.load(prefix, cursor(KeyFormat.successor(prefix)));
        if (loaded != null) {
          residents.put(prefix, loaded);
        }
      }
      return hasResidents ? residents.get(prefix) : null;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      Arrays.fill(brief, (byte) 0xee);
      return visible(entries.get(key));
    }

    /** What is gone with the next read: who still needs it then will be wrong. */
    @Override
    public @Nullable BriefValue getBriefly(byte[] key) {
      return briefly(get(key), Integer.MAX_VALUE);
    }

    /** No more than is asked for: who needs more than it says will be wrong. */
    @Override
    public @Nullable BriefValue getStart(byte[] key, int bytes) {
      return briefly(get(key), bytes);
    }

    private @Nullable BriefValue briefly(byte @Nullable [] whole, int bytesMax) {
      if (whole == null) {
        return null;
      }
      int length = Math.min(whole.length, bytesMax);
      int offset = 2;
      brief = new byte[offset + length + 3];
      System.arraycopy(whole, 0, brief, offset, length);
      return new BriefValue(brief, offset, length);
    }

    private byte @Nullable [] visible(@Nullable Version newest) {
      requireOpen();
      Version version = newest;
      while (version != null && version.sequence > at) {
        version = version.older;
      }
      return version == null ? null : version.value;
    }

    private void requireOpen() {
      if (closed) {
        throw new IllegalStateException("the view is closed");
      }
    }

    @Override
    public StoreCursor cursor(byte[] end) {
      cursorsOpened++;
      return new Cursor(this, entries.headMap(end, false));
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        release(at);
      }
    }
  }

  private final class Cursor implements StoreCursor {
    private final View view;
    private NavigableMap<byte[], Version> shown;
    private byte @Nullable [] key;
    private byte @Nullable [] value;

    Cursor(View view, NavigableMap<byte[], Version> shown) {
      this.view = view;
      this.shown = shown;
    }

    @Override
    public void within(byte[] from, byte[] end) {
      boolean isAny = Arrays.compareUnsigned(from, end) < 0;
      if (showsBeyondBounds) {
        shown = entries;
      } else {
        shown = isAny ? entries.subMap(from, true, end, false) : entries.headMap(new byte[0]);
      }
      key = null;
      value = null;
    }

    @Override
    public boolean seek(byte[] target) {
      return settle(shown.ceilingEntry(target), true);
    }

    @Override
    public boolean seekBefore(byte[] target) {
      return settle(shown.lowerEntry(target), false);
    }

    @Override
    public boolean next() {
      return key != null && settle(shown.higherEntry(key), true);
    }

    @Override
    public boolean previous() {
      return key != null && settle(shown.lowerEntry(key), false);
    }

    private boolean settle(Map.@Nullable Entry<byte[], Version> first, boolean forward) {
      Map.@Nullable Entry<byte[], Version> entry = first;
      while (entry != null) {
        byte[] visible = view.visible(entry.getValue());
        if (visible != null) {
          key = entry.getKey();
          value = visible;
          return true;
        }
        deletedPassed++;
        entry = forward ? shown.higherEntry(entry.getKey()) : shown.lowerEntry(entry.getKey());
      }
      key = null;
      value = null;
      return false;
    }

    @Override
    public boolean isValid() {
      return key != null;
    }

    @Override
    public byte[] key() {
      if (key == null) {
        throw new IllegalStateException("the cursor is on no entry");
      }
      return key;
    }

    @Override
    public byte[] value() {
      valuesRead++;
      if (value == null) {
        throw new IllegalStateException("the cursor is on no entry");
      }
      return value;
    }

    @Override
    public void close() {
      key = null;
    }
  }
}
