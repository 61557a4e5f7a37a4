package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.ByteStrings;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.StableOrder;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.Sets;
import dev.varve.codec.zset.ZRange;
import dev.varve.codec.zset.ZSets;
import dev.varve.server.resp.DoubleText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a list, set or sorted set, and which of them SORT wants in which order.
 *
 * <p>Belongs to the thread of its transaction.
 *
 * @param order the numbers of elements
 * @param from the first of these that is wanted
 * @param count how many are
 */
record SortedElements(ByteStrings elements, int[] order, int from, int count) {
  /*
   * With a BY that names the same place for every element nothing is sorted: lists and sorted sets
   * keep their order, and then only what LIMIT asks for is read. A set has no order of its own, so
   * that what is stored of it is sorted all the same.
   *
   * ALPHA compares bytes, as Redis does in the locales C and C.UTF-8.
   */
  private static final DataException NOT_NUMBERS =
      new DataException("ERR One or more scores can't be converted into double");

  /** What an element takes besides while they are sorted: its number twice, and its weight. */
  private static final int ORDER_BYTES = 2 * Integer.BYTES + Double.BYTES;

  /** With more, memory would run out for whoever else works. */
  private static final long HELD_BYTES_MAX = Runtime.getRuntime().maxMemory() / 4;

  private static final DataException TOO_MUCH =
      new DataException(
          "ERR what is sorted takes more than " + HELD_BYTES_MAX + " bytes: a quarter of the heap");

  private static final SortedElements NOTHING =
      new SortedElements(new ByteStrings(), new int[0], 0, 0);

  /** The number of the element that stands at a place among those that are wanted. */
  int at(int place) {
    return order[from + place];
  }

  /**
   * Those of what {@code key} holds.
   *
   * @param isSettled whether the order has to mean something where none is asked for
   * @throws DataException WRONG_TYPE, or where a weight is no number, or all of it is too much
   */
  static SortedElements of(
      Transaction transaction, int database, byte[] key, SortArguments asked, boolean isSettled) {
    Meta meta = transaction.find(database, key);
    if (meta == null) {
      return NOTHING;
    }
    ValueType type = meta.type();
    if (type != ValueType.LIST && type != ValueType.SET && type != ValueType.ZSET) {
      throw DataException.WRONG_TYPE;
    }
    long size = meta.count();
    long start = Math.min(Math.max(asked.offset(), 0), size);
    long count = asked.count() < 0 ? size - start : Math.min(asked.count(), size - start);
    SortPattern by = asked.by();
    boolean keepsOrder = by != null && by.isConstant();
    if (keepsOrder && type != ValueType.SET) {
      return inOrder(transaction, database, key, type, asked.descending(), start, count);
    }
    ByteStrings elements = elements(transaction, database, key, type, size);
    int[] order;
    if (!keepsOrder) {
      order = order(transaction, database, elements, asked, by, asked.alphabetic());
    } else if (isSettled) {
      order = order(transaction, database, elements, asked, null, true);
    } else {
      order = StableOrder.asTheyAre(elements.count());
    }
    return new SortedElements(elements, order, (int) start, (int) count);
  }

  /** Some elements of a list or sorted set in its own order or its reverse. */
  private static SortedElements inOrder(
      Transaction transaction,
      int database,
      byte[] key,
      ValueType type,
      boolean descending,
      long start,
      long count) {
    if (count == 0) {
      return NOTHING;
    }
    Gathered gathered = new Gathered(transaction);
    boolean isBackwards = false;
    if (type == ValueType.ZSET) {
      ZRange range = new ZRange.ByRank(start, start + count - 1);
      ZSets.range(
          transaction,
          database,
          key,
          range,
          descending,
          0,
          -1,
          (array, offset, length, score) -> gathered.add(array, offset, length));
    } else {
      long first = descending ? -start - count : start;
      long last = descending ? -start - 1 : start + count - 1;
      try (MemberCursor cursor = Lists.range(transaction, database, key, first, last)) {
        gathered.addAll(cursor);
      }
      isBackwards = descending;
    }
    int found = gathered.elements.count();
    int[] order = isBackwards ? StableOrder.reversed(found) : StableOrder.asTheyAre(found);
    return new SortedElements(gathered.elements, order, 0, found);
  }

  private static ByteStrings elements(
      Transaction transaction, int database, byte[] key, ValueType type, long size) {
    if (type == ValueType.ZSET) {
      return inOrder(transaction, database, key, type, false, 0, size).elements;
    }
    Gathered gathered = new Gathered(transaction);
    try (MemberCursor cursor =
        type == ValueType.LIST
            ? Lists.elements(transaction, database, key)
            : Sets.members(transaction, database, key)) {
      gathered.addAll(cursor);
    }
    return gathered.elements;
  }

  /** What is to be sorted, all of it in memory. */
  private static final class Gathered {
    final ByteStrings elements = new ByteStrings();
    private final Transaction transaction;

    Gathered(Transaction transaction) {
      this.transaction = transaction;
    }

    void add(byte[] array, int offset, int length) {
      elements.add(array, offset, length);
      need(transaction, elements.heldBytes() + (long) ORDER_BYTES * elements.count());
    }

    void addAll(MemberCursor cursor) {
      cursor.handRest(this::add);
    }
  }

  private static void need(Transaction transaction, long bytes) {
    if (bytes > HELD_BYTES_MAX) {
      throw TOO_MUCH;
    }
    transaction.need(bytes);
  }

  /** The numbers of elements in their order. */
  private static int[] order(
      Transaction transaction,
      int database,
      ByteStrings elements,
      SortArguments asked,
      @Nullable SortPattern by,
      boolean alphabetic) {
    StableOrder.Order order =
        alphabetic
            ? textOrder(transaction, database, elements, by)
            : numberOrder(transaction, database, elements, by);
    return StableOrder.of(
        elements.count(), asked.descending() ? (a, b) -> order.compare(b, a) : order);
  }

  private static StableOrder.Order textOrder(
      Transaction transaction, int database, ByteStrings elements, @Nullable SortPattern by) {
    if (by == null) {
      return elements::compare;
    }
    ByteStrings weights = new ByteStrings();
    for (int i = 0; i < elements.count(); i++) {
      Slice weight = by.lookUp(transaction, database, elements.copy(i));
      if (weight == null) {
        weights.addNone();
      } else {
        weights.add(weight.array(), weight.offset(), weight.length());
      }
      need(
          transaction,
          elements.heldBytes() + weights.heldBytes() + (long) ORDER_BYTES * elements.count());
    }
    return weights::compare;
  }

  private static StableOrder.Order numberOrder(
      Transaction transaction, int database, ByteStrings elements, @Nullable SortPattern by) {
    double[] numbers = new double[elements.count()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] =
          number(
              by == null
                  ? new Slice(elements.array(i), elements.offset(i), elements.length(i))
                  : by.lookUp(transaction, database, elements.copy(i)));
    }
    return (a, b) -> {
      if (numbers[a] == numbers[b]) {
        return elements.compare(a, b);
      }
      return numbers[a] < numbers[b] ? -1 : 1;
    };
  }

  /**
   * As strtod reads it over the whole text, which a zero byte ends: blanks in front are allowed,
   * and nothing is 0.
   */
  private static double number(@Nullable Slice weight) {
    if (weight == null || weight.length() == 0) {
      return 0;
    }
    int to = weight.offset() + weight.length();
    long integer = IntegerText.parse(weight.array(), weight.offset(), to);
    if (integer != IntegerText.NOT_AN_INTEGER) {
      return integer;
    }
    byte[] text = weight.toBytes();
    int end = 0;
    while (end < text.length && text[end] != 0) {
      end++;
    }
    if (end == 0) {
      return 0;
    }
    int begin = 0;
    while (begin < end && (text[begin] == ' ' || (text[begin] >= '\t' && text[begin] <= '\r'))) {
      begin++;
    }
    boolean isAll = begin == 0 && end == text.length;
    double number = DoubleText.parse(isAll ? text : Arrays.copyOfRange(text, begin, end));
    if (Double.isNaN(number)) {
      throw NOT_NUMBERS;
    }
    return number;
  }
}
