package dev.varve.server.lua.value;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table of Lua: an array part, a node part, and a metatable.
 *
 * <p>Keys are never null and never NaN: whoever puts them has checked.
 */
public final class LuaTable {
  private static final @Nullable Object[] NO_SLOTS = new Object[0];
  private static final int[] NO_LINKS = new int[0];
  private static final int NONE = -1;

  private static final int ARRAY_BITS_MAX = 26;
  private static final int SLOT_BYTES = 20;
  private static final int NODE_BYTES = 44;

  /** A table with so many places, or fewer, is kept whole. */
  private static final int WHOLE_PLACES_MAX = 16;

  /** Bytes of memory that an empty table takes. */
  public static final int OVERHEAD_BYTES = 64;

  /* The node part is a chained scatter table with Brent's variation, as the paper on Lua 5.0's
   * implementation (Ierusalimschy, de Figueiredo, Celes, 2005, section 4) describes it: a colliding
   * key goes to a free node, unless it is the one met that is out of its main position. The array
   * part has the largest power of two of slots of which more than half are in use. Sizes change only
   * when no node is free. Order of traversal: slots, then nodes by their position. */
  private @Nullable Object[] array;
  private @Nullable Object[] keys = NO_SLOTS;
  private @Nullable Object[] values = NO_SLOTS;
  private int[] links = NO_LINKS;
  private int freeBelow;

  private final Allocation allocation;
  private final UndoLog undoLog;
  private @Nullable LuaTable metatable;
  private boolean readOnly;

  /** The span of the log in which it was made, or all of it was kept there. */
  private int keptIn;

  /** The last walk that met this table; only for whoever measures memory. */
  public int mark;

  public LuaTable(Allocation allocation) {
    this.allocation = allocation;
    this.undoLog = allocation.undoLog();
    this.keptIn = undoLog.span();
    this.array = NO_SLOTS;
  }

  /** A table with room for so many slots and nodes. */
  public LuaTable(Allocation allocation, int slots, int nodes) {
    this(allocation);
    if (slots > 0 || nodes > 0) {
      resize(slots, nodes);
    }
  }

  public @Nullable LuaTable metatable() {
    return metatable;
  }

  public void setMetatable(@Nullable LuaTable metatable) {
    if (undoLog.keeps(keptIn)) {
      undoLog.add(new MetatableChange(this, this.metatable));
    }
    this.metatable = metatable;
  }

  public boolean isReadOnly() {
    return readOnly;
  }

  public void setReadOnly(boolean readOnly) {
    this.readOnly = readOnly;
  }

  /** About the bytes of memory that it takes, its values not included. */
  public long sizeBytes() {
    return OVERHEAD_BYTES + (long) array.length * SLOT_BYTES + (long) keys.length * NODE_BYTES;
  }

  // ---- Reading

  public @Nullable Object get(@Nullable Object key) {
    if (key instanceof LuaString text) {
      return get(text);
    }
    if (key instanceof Double number) {
      return get(number.doubleValue());
    }
    if (key == null) {
      return null;
    }
    int node = find(key);
    return node == NONE ? null : values[node];
  }

  public @Nullable Object get(LuaString key) {
    Object[] keys = this.keys;
    if (keys.length == 0) {
      return null;
    }
    int node = key.hashCode() & (keys.length - 1);
    do {
      if (keys[node] == key || (keys[node] instanceof LuaString text && text.sameAs(key))) {
        return values[node];
      }
      node = links[node];
    } while (node != NONE);
    return null;
  }

  public @Nullable Object get(double key) {
    int index = (int) key;
    if (index == key && index > 0 && index <= array.length) {
      return array[index - 1];
    }
    int node = find(key);
    return node == NONE ? null : values[node];
  }

  public @Nullable Object get(int index) {
    if (index > 0 && index <= array.length) {
      return array[index - 1];
    }
    int node = find((double) index);
    return node == NONE ? null : values[node];
  }

  /**
   * A border: an index n with a value where n + 1 has none, or 0. Which of several is Lua 5.1's
   * choice.
   */
  public int length() {
    int high = array.length;
    if (high > 0 && array[high - 1] == null) {
      int low = 0;
      while (high - low > 1) {
        int middle = (low + high) >>> 1;
        if (array[middle - 1] == null) {
          high = middle;
        } else {
          low = middle;
        }
      }
      return low;
    }
    return keys.length == 0 ? high : lengthInNodes(high);
  }

  private int lengthInNodes(int from) {
    int low = from;
    int high = from + 1;
    while (get(high) != null) {
      low = high;
      if (high > Integer.MAX_VALUE / 2) {
        // Only a table made to lead the search astray gets here: count plainly.
        int index = 1;
        while (get(index) != null) {
          index++;
        }
        return index - 1;
      }
      high *= 2;
    }
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (get(middle) == null) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return low;
  }

  // ---- Traversal

  /** The first position at or after {@code from} (0 to begin with) that has a value, or -1. */
  public int position(int from) {
    int at = from;
    for (; at < array.length; at++) {
      if (array[at] != null) {
        return at;
      }
    }
    for (int node = at - array.length; node < values.length; node++) {
      if (values[node] != null) {
        return node + array.length;
      }
    }
    return NONE;
  }

  public Object keyAt(int position) {
    Object key =
        position < array.length ? (Object) (position + 1.0) : keys[position - array.length];
    if (key == null) {
      throw new IllegalStateException("no key at position " + position);
    }
    return key;
  }

  public @Nullable Object valueAt(int position) {
    return position < array.length ? array[position] : values[position - array.length];
  }

  /** The position of a key, even when its value is gone; -1 where it is not known. */
  public int positionOf(Object key) {
    if (key instanceof Double number) {
      int index = (int) number.doubleValue();
      if (index == number && index > 0 && index <= array.length) {
        return index - 1;
      }
    }
    int node = find(key);
    return node == NONE ? NONE : node + array.length;
  }

  // ---- Writing

  public void put(Object key, @Nullable Object value) {
    if (key instanceof Double number) {
      put(number.doubleValue(), number, value);
      return;
    }
    int node = find(key);
    if (node != NONE) {
      if (keptIn != undoLog.span) {
        keepNode(node);
      }
      values[node] = value;
    } else {
      insert(key, value);
    }
  }

  public void put(int index, @Nullable Object value) {
    if (index > 0 && index <= array.length) {
      if (keptIn != undoLog.span) {
        keepSlot(index - 1);
      }
      array[index - 1] = value;
    } else {
      put((double) index, null, value);
    }
  }

  private void put(double number, @Nullable Double boxed, @Nullable Object value) {
    int index = (int) number;
    if (index == number && index > 0 && index <= array.length) {
      if (keptIn != undoLog.span) {
        keepSlot(index - 1);
      }
      array[index - 1] = value;
      return;
    }
    int node = find(number);
    if (node != NONE) {
      if (keptIn != undoLog.span) {
        keepNode(node);
      }
      values[node] = value;
    } else {
      insert(boxed == null ? (Object) number : boxed, value);
    }
  }

  /** Makes sure of so many slots, as a constructor does before it fills them. */
  public void reserve(int slots) {
    if (slots > array.length) {
      resize(slots, keys.length);
    }
  }

  /** Whether this index is a slot: writing there neither grows the table nor moves a key. */
  public boolean isSlot(int index) {
    return index > 0 && index <= array.length;
  }

  private int find(Object key) {
    if (keys.length == 0) {
      return NONE;
    }
    if (key instanceof Double number) {
      return find(number.doubleValue());
    }
    int node = mainPosition(key);
    if (key instanceof LuaString text) {
      do {
        if (keys[node] instanceof LuaString other && other.sameAs(text)) {
          return node;
        }
        node = links[node];
      } while (node != NONE);
      return NONE;
    }
    while (node != NONE && keys[node] != key) {
      node = links[node];
    }
    return node;
  }

  private int find(double key) {
    if (keys.length == 0) {
      return NONE;
    }
    int node = mainPosition(key);
    while (node != NONE && !(keys[node] instanceof Double other && other == key)) {
      node = links[node];
    }
    return node;
  }

  private int mainPosition(Object key) {
    if (key instanceof LuaString) {
      return key.hashCode() & (keys.length - 1);
    }
    if (key instanceof Double number) {
      return mainPosition(number.doubleValue());
    }
    if (key instanceof Boolean truth) {
      return truth ? 1 & (keys.length - 1) : 0;
    }
    return System.identityHashCode(key) % ((keys.length - 1) | 1);
  }

  private int mainPosition(double key) {
    if (key == 0) {
      return 0; // -0 is the same key.
    }
    long bits = Double.doubleToRawLongBits(key);
    return Integer.remainderUnsigned((int) bits + (int) (bits >>> 32), (keys.length - 1) | 1);
  }

  private void insert(Object key, @Nullable Object value) {
    if (keys.length == 0) {
      rehash(key, value);
      return;
    }
    int main = mainPosition(key);
    if (keptIn != undoLog.span) {
      keepNode(main);
    }
    if (values[main] != null) {
      int free = freeNode();
      if (free == NONE) {
        rehash(key, value);
        return;
      }
      if (keptIn != undoLog.span) {
        keepNode(free);
      }
      Object met = keys[main];
      int other = met == null ? main : mainPosition(met);
      if (other != main) {
        while (links[other] != main) {
          other = links[other];
        }
        if (keptIn != undoLog.span) {
          keepNode(other);
        }
        links[other] = free;
        keys[free] = met;
        values[free] = values[main];
        links[free] = links[main];
        links[main] = NONE;
      } else {
        links[free] = links[main];
        links[main] = free;
        main = free;
      }
    }
    keys[main] = key;
    values[main] = value;
  }

  private int freeNode() {
    while (freeBelow > 0) {
      if (keys[--freeBelow] == null) {
        return freeBelow;
      }
    }
    return NONE;
  }

  private void rehash(Object key, @Nullable Object value) {
    int[] counts = new int[ARRAY_BITS_MAX + 1];
    int inArray = countSlots(counts);
    int total = inArray;
    for (int node = 0; node < keys.length; node++) {
      if (values[node] != null) {
        inArray += countIndex(keys[node], counts);
        total++;
      }
    }
    inArray += countIndex(key, counts);
    total++;
    int slots = 0;
    int used = 0;
    int seen = 0;
    for (int bit = 0; bit <= ARRAY_BITS_MAX && (1 << bit) / 2 < inArray; bit++) {
      seen += counts[bit];
      if (counts[bit] > 0 && seen > (1 << bit) / 2) {
        slots = 1 << bit;
        used = seen;
      }
      if (seen == inArray) {
        break;
      }
    }
    resize(slots, total - used);
    put(key, value);
  }

  private int countSlots(int[] counts) {
    int total = 0;
    int index = 1;
    for (int bit = 0; bit <= ARRAY_BITS_MAX && index <= array.length; bit++) {
      int end = Math.min(1 << bit, array.length);
      int found = 0;
      for (; index <= end; index++) {
        if (array[index - 1] != null) {
          found++;
        }
      }
      counts[bit] += found;
      total += found;
    }
    return total;
  }

  private static int countIndex(@Nullable Object key, int[] counts) {
    if (key instanceof Double number) {
      int index = (int) number.doubleValue();
      if (index == number && index >= 1 && index <= 1 << ARRAY_BITS_MAX) {
        counts[bitsOf(index - 1)]++;
        return 1;
      }
    }
    return 0;
  }

  /** How many bits a number has; so 2^n is the first power of two that is greater. */
  private static int bitsOf(int number) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(number);
  }

  private void resize(int slots, int nodes) {
    int capacity = nodes == 0 ? 0 : 1 << bitsOf(nodes - 1);
    long grown = Math.max(0, slots - array.length) * (long) SLOT_BYTES;
    allocation.charge(grown + Math.max(0, capacity - keys.length) * (long) NODE_BYTES);
    boolean isKept = undoLog.keeps(keptIn);
    if (isKept) {
      allocation.charge(sizeBytes());
      // These arrays are left as they are, and others take their place.
      keep(new Contents(this, array, keys, values, links));
    }
    @Nullable Object[] oldArray = array;
    @Nullable Object[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    @Nullable Object[] newArray = array;
    if (slots != oldArray.length || isKept) {
      newArray = new Object[slots];
      System.arraycopy(oldArray, 0, newArray, 0, Math.min(slots, oldArray.length));
    }
    @Nullable Object[] newKeys = capacity == 0 ? NO_SLOTS : new Object[capacity];
    @Nullable Object[] newValues = capacity == 0 ? NO_SLOTS : new Object[capacity];
    int[] newLinks = capacity == 0 ? NO_LINKS : new int[capacity];
    Arrays.fill(newLinks, NONE);
    array = newArray;
    keys = newKeys;
    values = newValues;
    links = newLinks;
    freeBelow = capacity;
    for (int index = slots; index < oldArray.length; index++) {
      if (oldArray[index] != null) {
        put(index + 1, oldArray[index]);
      }
    }
    for (int node = oldKeys.length - 1; node >= 0; node--) {
      Object key = oldKeys[node];
      if (key != null && oldValues[node] != null) {
        put(key, oldValues[node]);
      }
    }
  }

  // ---- What was there before

  private void keepSlot(int slot) {
    if (undoLog.keeps(keptIn) && !keptWhole()) {
      undoLog.add(new SlotChange(this, slot, array[slot]));
    }
  }

  private void keepNode(int node) {
    if (undoLog.keeps(keptIn) && !keptWhole()) {
      undoLog.add(new NodeChange(this, node, keys[node], values[node], links[node], freeBelow));
    }
  }

  /* Place by place as long as the changes are few, whole where they are many: so a run pays for what
   * it changes, and not for all that a library has, nor for each of a million changes of a place. */
  private boolean keptWhole() {
    int places = array.length + keys.length;
    if (places > WHOLE_PLACES_MAX && places > undoLog.size()) {
      return false;
    }
    allocation.charge(sizeBytes());
    keep(new Contents(this, array.clone(), keys.clone(), values.clone(), links.clone()));
    return true;
  }

  private void keep(Contents contents) {
    undoLog.addCounted(contents);
    keptIn = undoLog.span();
  }

  private record SlotChange(LuaTable table, int slot, @Nullable Object value)
      implements UndoLog.Change {
    @Override
    public void undo() {
      table.array[slot] = value;
    }

    @Override
    public void held(Consumer<@Nullable Object> visitor) {
      visitor.accept(value);
    }
  }

  /** Of a node; what else an insertion changes is {@code freeBelow}. */
  private record NodeChange(
      LuaTable table,
      int node,
      @Nullable Object key,
      @Nullable Object value,
      int link,
      int freeBelow)
      implements UndoLog.Change {
    @Override
    public void undo() {
      table.keys[node] = key;
      table.values[node] = value;
      table.links[node] = link;
      table.freeBelow = freeBelow;
    }

    @Override
    public void held(Consumer<@Nullable Object> visitor) {
      visitor.accept(key);
      visitor.accept(value);
    }
  }

  private record MetatableChange(LuaTable table, @Nullable LuaTable metatable)
      implements UndoLog.Change {
    @Override
    public void undo() {
      table.metatable = metatable;
    }

    @Override
    public void held(Consumer<@Nullable Object> visitor) {
      visitor.accept(metatable);
    }
  }

  /** All that a table had. */
  private static final class Contents implements UndoLog.Change {
    private final LuaTable table;
    private final @Nullable Object[] array;
    private final @Nullable Object[] keys;
    private final @Nullable Object[] values;
    private final int[] links;
    private final int freeBelow;
    private final @Nullable LuaTable metatable;

    Contents(
        LuaTable table,
        @Nullable Object[] array,
        @Nullable Object[] keys,
        @Nullable Object[] values,
        int[] links) {
      this.table = table;
      this.array = array;
      this.keys = keys;
      this.values = values;
      this.links = links;
      this.freeBelow = table.freeBelow;
      this.metatable = table.metatable;
    }

    @Override
    public void undo() {
      table.array = array;
      table.keys = keys;
      table.values = values;
      table.links = links;
      table.freeBelow = freeBelow;
      table.metatable = metatable;
    }

    @Override
    public long bytes() {
      return OVERHEAD_BYTES + (long) array.length * SLOT_BYTES + (long) keys.length * NODE_BYTES;
    }

    @Override
    public void held(Consumer<@Nullable Object> visitor) {
      visitor.accept(metatable);
      for (Object value : array) {
        visitor.accept(value);
      }
      for (int node = 0; node < keys.length; node++) {
        visitor.accept(keys[node]);
        visitor.accept(values[node]);
      }
    }
  }
}
