package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.Transaction;
import dev.varve.codec.format.ByteStrings;
import dev.varve.codec.format.Slice;
import dev.varve.codec.list.Lists;
import dev.varve.codec.store.StoreBatch;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Rights;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.List;

/** The commands of the generic group that sort a list, set or sorted set. */
public final class SortCommands {
  /** What an array takes besides its bytes, and its place in a list. */
  private static final int STORED_ITEM_BYTES = 24;

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
    SortedElements sorted = SortedElements.of(transaction, database, args.get(1), asked, isSettled);
    if (asked.target() == null) {
      reply(context, asked, sorted);
    } else {
      List<byte[]> stored = stored(transaction, database, asked, sorted);
      Lists.store(transaction, database, asked.target(), stored, "sortstore");
      context.reply().integer(stored.size());
    }
  }

  private static void reply(CommandContext context, SortArguments asked, SortedElements sorted) {
    RespEncoder reply = context.reply();
    ByteStrings elements = sorted.elements();
    if (asked.gets().isEmpty()) {
      reply.array(sorted.count());
      for (int i = 0; i < sorted.count(); i++) {
        int element = sorted.at(i);
        reply.bulk(elements.array(element), elements.offset(element), elements.length(element));
      }
      return;
    }
    reply.array((long) sorted.count() * asked.gets().size());
    for (int i = 0; i < sorted.count(); i++) {
      byte[] element = elements.copy(sorted.at(i));
      for (SortPattern get : asked.gets()) {
        Slice value = get.lookUp(context.transaction(), context.database(), element);
        MemberReply.bulk(reply, value);
      }
    }
  }

  /**
   * What is to be stored: values that are long and looked up for many elements are there many
   * times.
   */
  private static List<byte[]> stored(
      Transaction transaction, int database, SortArguments asked, SortedElements sorted) {
    List<byte[]> stored = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < sorted.count(); i++) {
      byte[] element = sorted.elements().copy(sorted.at(i));
      if (asked.gets().isEmpty()) {
        stored.add(element);
        bytes += STORED_ITEM_BYTES + element.length;
        StoreBatch.requireRoom(bytes);
      }
      for (SortPattern get : asked.gets()) {
        Slice value = get.lookUp(transaction, database, element);
        bytes += STORED_ITEM_BYTES + (value == null ? 0 : value.length());
        StoreBatch.requireRoom(bytes);
        stored.add(value == null ? new byte[0] : value.toBytes());
      }
    }
    return stored;
  }
}
