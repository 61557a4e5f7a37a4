package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.Sets;
import dev.varve.codec.zset.ZRange;
import dev.varve.codec.zset.ZSets;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Rights;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.DoubleText;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands of the generic group that sort a list, set or sorted set. */
public final class SortCommands {
  /*
   * With a BY that names the same place for every element nothing is sorted: lists and sorted sets
   * keep their order, and then only what LIMIT asks for is read. A set has no order of its own, so
   * that what is stored of it is sorted all the same.
   *
   * ALPHA compares bytes, as Redis does in the locales C and C.UTF-8.
   */
  private static final DataException NOT_NUMBERS =
      new DataException("ERR One or more scores can't be converted into double");

  /** What an element takes beside its bytes, which are in the reply once more. */
  private static final int ELEMENT_BYTES = 96;

  private static final int COPIES = 2;

  private SortCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.GENERIC,
        sort().flags(WRITE, DENYOOM).reads(SortArguments::storesNothing, sort().flags(READONLY)),
        Command.named("sort_ro")
            .arity(-2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .keys(args -> new int[] {1})
            .since("7.0.0")
            .summary("SORT that only reads")
            .does((context, args) -> sort(context, args, SortArguments.of(args, false))));
  }

  private static Command sort() {
    return Command.named("sort")
        .arity(-2)
        .keys(1, 1, 1)
        .keys(SortCommands::keys)
        .summary("Sort a list, set or sorted set, by its elements or by other keys")
        .does((context, args) -> sort(context, args, SortArguments.of(args, true)));
  }

  private static int[] keys(Args args) {
    int target = SortArguments.targetIndex(args);
    return target < 0 ? new int[] {1} : new int[] {1, target};
  }

  private static void sort(CommandContext context, Args args, SortArguments asked) {
    Rights rights = context.session().rights();
    if (!rights.areUnlimited() && !rights.readsAllKeys(context.command().registered(), args)) {
      asked.requireNoOtherKeys();
    }
    Transaction transaction = context.transaction();
    int database = context.database();
    // As in Redis: what is stored, or seen by a script, is in an order that means something.
    boolean isSettled = asked.target() != null || context.isInScript();
    List<byte[]> sorted = sorted(transaction, database, args.get(1), asked, isSettled);
    if (asked.target() == null) {
      reply(context, asked, sorted);
    } else {
      List<byte[]> stored =
          asked.gets().isEmpty() ? sorted : found(transaction, database, asked, sorted);
      Lists.store(transaction, database, asked.target(), stored, "sortstore");
      context.reply().integer(stored.size());
    }
  }

  private static void reply(CommandContext context, SortArguments asked, List<byte[]> sorted) {
    RespEncoder reply = context.reply();
    if (asked.gets().isEmpty()) {
      reply.array(sorted.size());
      for (byte[] element : sorted) {
        reply.bulk(element);
      }
      return;
    }
    reply.array((long) sorted.size() * asked.gets().size());
    for (byte[] element : sorted) {
      for (SortPattern get : asked.gets()) {
        Slice value = get.lookUp(context.transaction(), context.database(), element);
        MemberReply.bulk(reply, value);
      }
    }
  }

  private static List<byte[]> found(
      Transaction transaction, int database, SortArguments asked, List<byte[]> sorted) {
    List<byte[]> found = new ArrayList<>();
    for (byte[] element : sorted) {
      for (SortPattern get : asked.gets()) {
        Slice value = get.lookUp(transaction, database, element);
        found.add(value == null ? new byte[0] : value.toBytes());
      }
    }
    return found;
  }

  private static List<byte[]> sorted(
      Transaction transaction, int database, byte[] key, SortArguments asked, boolean isSettled) {
    Meta meta = transaction.find(database, key);
    if (meta == null) {
      return List.of();
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
    List<byte[]> elements = elements(transaction, database, key, type, size);
    if (!keepsOrder) {
      elements = sorted(transaction, database, elements, asked, by, asked.alphabetic());
    } else if (isSettled) {
      elements = sorted(transaction, database, elements, asked, null, true);
    }
    return elements.subList((int) start, (int) (start + count));
  }

  /** Some elements of a list or sorted set in its own order or its reverse. */
  private static List<byte[]> inOrder(
      Transaction transaction,
      int database,
      byte[] key,
      ValueType type,
      boolean descending,
      long start,
      long count) {
    if (count == 0) {
      return List.of();
    }
    Gathered elements = new Gathered(transaction);
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
          (array, offset, length, score) ->
              elements.add(Arrays.copyOfRange(array, offset, offset + length)));
      return elements.list;
    }
    long first = descending ? -start - count : start;
    long last = descending ? -start - 1 : start + count - 1;
    try (MemberCursor cursor = Lists.range(transaction, database, key, first, last)) {
      elements.addAll(cursor);
    }
    if (descending) {
      Collections.reverse(elements.list);
    }
    return elements.list;
  }

  private static List<byte[]> elements(
      Transaction transaction, int database, byte[] key, ValueType type, long size) {
    if (type == ValueType.ZSET) {
      return inOrder(transaction, database, key, type, false, 0, size);
    }
    Gathered elements = new Gathered(transaction);
    try (MemberCursor cursor =
        type == ValueType.LIST
            ? Lists.elements(transaction, database, key)
            : Sets.members(transaction, database, key)) {
      elements.addAll(cursor);
    }
    return elements.list;
  }

  /** What is to be sorted, all of it in memory. */
  private static final class Gathered {
    final List<byte[]> list = new ArrayList<>();
    private final Transaction transaction;
    private long bytes;

    Gathered(Transaction transaction) {
      this.transaction = transaction;
    }

    void add(byte[] element) {
      bytes += ELEMENT_BYTES + COPIES * (long) element.length;
      transaction.need(bytes);
      list.add(element);
    }

    void addAll(MemberCursor cursor) {
      while (cursor.next()) {
        add(cursor.bytes());
      }
    }
  }

  private static List<byte[]> sorted(
      Transaction transaction,
      int database,
      List<byte[]> elements,
      SortArguments asked,
      @Nullable SortPattern by,
      boolean alphabetic) {
    Weighted[] weighted = new Weighted[elements.size()];
    for (int i = 0; i < weighted.length; i++) {
      byte[] element = elements.get(i);
      Slice weight = by == null ? Slice.of(element) : by.lookUp(transaction, database, element);
      weighted[i] = new Weighted(element, weight, alphabetic ? 0 : number(weight));
    }
    Comparator<Weighted> order =
        alphabetic ? (a, b) -> compareText(a.weight, b.weight) : SortCommands::compareNumbers;
    Arrays.sort(weighted, asked.descending() ? order.reversed() : order);
    List<byte[]> sorted = new ArrayList<>(weighted.length);
    for (Weighted each : weighted) {
      sorted.add(each.element);
    }
    return sorted;
  }

  private record Weighted(byte[] element, @Nullable Slice weight, double number) {}

  /**
   * As strtod reads it over the whole text, which a zero byte ends: blanks in front are allowed,
   * and nothing is 0.
   */
  private static double number(@Nullable Slice weight) {
    if (weight == null || weight.length() == 0) {
      return 0;
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

  private static int compareNumbers(Weighted a, Weighted b) {
    if (a.number == b.number) {
      return Arrays.compareUnsigned(a.element, b.element);
    }
    return a.number < b.number ? -1 : 1;
  }

  private static int compareText(@Nullable Slice a, @Nullable Slice b) {
    if (a == null || b == null) {
      return Boolean.compare(a != null, b != null);
    }
    return Arrays.compareUnsigned(
        a.array(),
        a.offset(),
        a.offset() + a.length(),
        b.array(),
        b.offset(),
        b.offset() + b.length());
  }
}
