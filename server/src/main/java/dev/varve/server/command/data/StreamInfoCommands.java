package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.READONLY;

import dev.varve.codec.DataException;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.stream.PendingEntry;
import dev.varve.codec.stream.StreamClaims;
import dev.varve.codec.stream.StreamConsumer;
import dev.varve.codec.stream.StreamGroups;
import dev.varve.codec.stream.Streams;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import java.util.function.Consumer;

/** XINFO: what is known of a stream, its groups and their consumers. */
final class StreamInfoCommands {
  private static final long FULL_COUNT_USUAL = 10;

  /** What Redis would keep in one node of its tree, roughly. */
  private static final int ENTRIES_PER_NODE = 100;

  private StreamInfoCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.STREAM,
        Command.named("xinfo")
            .arity(-2)
            .since("5.0.0")
            .summary("Look into a stream, its groups and their consumers")
            .subcommands(
                sub(
                        "stream",
                        -3,
                        "Tell length, ids and first and last entry; with FULL all there is")
                    .does(StreamInfoCommands::stream),
                sub("groups", 3, "Tell of each group how far it has read, and what is pending")
                    .does(StreamInfoCommands::groups),
                sub(
                        "consumers",
                        4,
                        "Tell of each consumer what it has pending and when it was last seen")
                    .does(StreamInfoCommands::consumers)));
  }

  private static Command sub(String name, int arity, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(READONLY)
        .keys(2, 2, 1)
        .since("5.0.0")
        .summary(summary);
  }

  private static void stream(CommandContext context, Args args) {
    boolean isFull = args.count() > 3;
    long count = FULL_COUNT_USUAL;
    Streams.Info info = Streams.info(context.transaction(), context.database(), args.get(2));
    if (info == null) {
      throw DataException.NO_SUCH_KEY;
    }
    if (isFull) {
      boolean isKnown =
          args.is(3, "FULL") && (args.count() == 4 || (args.count() == 6 && args.is(4, "COUNT")));
      if (!isKnown) {
        throw new DataException(
            "ERR unknown subcommand or wrong number of arguments for '"
                + args.text(1)
                + "'. Try XINFO HELP.");
      }
      if (args.count() == 6) {
        count = Arguments.integer(args, 5);
        count = count < 0 ? FULL_COUNT_USUAL : count;
      }
    }
    RespEncoder reply = context.reply();
    reply.map(isFull ? 9 : 10);
    integer(reply, "length", info.length());
    long nodes = (info.length() + ENTRIES_PER_NODE - 1) / ENTRIES_PER_NODE;
    integer(reply, "radix-tree-keys", nodes);
    integer(reply, "radix-tree-nodes", nodes + 1);
    id(reply, "last-generated-id", info.lastId());
    id(reply, "max-deleted-entry-id", info.maxDeletedId());
    integer(reply, "entries-added", info.added());
    id(reply, "recorded-first-entry-id", info.firstId());
    if (isFull) {
      full(context, args, count);
      return;
    }
    integer(reply, "groups", info.groups());
    reply.bulk("first-entry");
    edge(context, args, false);
    reply.bulk("last-entry");
    edge(context, args, true);
  }

  private static void integer(RespEncoder reply, String name, long value) {
    reply.bulk(name);
    reply.integer(value);
  }

  private static void known(RespEncoder reply, String name, long value, long unknown) {
    reply.bulk(name);
    if (value == unknown) {
      reply.nullBulk();
    } else {
      reply.integer(value);
    }
  }

  private static void id(RespEncoder reply, String name, StreamId id) {
    reply.bulk(name);
    reply.bulk(id.text());
  }

  private static void edge(CommandContext context, Args args, boolean isLast) {
    RespEncoder reply = context.reply();
    if (entries(context, args, isLast, 1) == 0) {
      reply.nullBulk();
    }
  }

  /** Writes entries one after the other; returns how many. */
  private static long entries(CommandContext context, Args args, boolean reverse, long count) {
    long[] found = new long[1];
    Streams.walk(
        context.transaction(),
        context.database(),
        args.get(2),
        StreamId.MIN,
        StreamId.MAX,
        reverse,
        (id, items) -> {
          StreamArguments.entry(context.reply(), id, items);
          return ++found[0] != count;
        });
    return found[0];
  }

  private static List<StreamGroups.Info> requireGroups(CommandContext context, Args args) {
    List<StreamGroups.Info> groups =
        StreamGroups.groups(context.transaction(), context.database(), args.get(2));
    if (groups == null) {
      throw DataException.NO_SUCH_KEY;
    }
    return groups;
  }

  private static void full(CommandContext context, Args args, long count) {
    RespEncoder reply = context.reply();
    reply.bulk("entries");
    int array = reply.open();
    reply.insertArray(array, entries(context, args, false, count));
    List<StreamGroups.Info> groups = requireGroups(context, args);
    reply.bulk("groups");
    reply.array(groups.size());
    for (StreamGroups.Info group : groups) {
      reply.map(7);
      reply.bulk("name");
      reply.bulk(group.name());
      id(reply, "last-delivered-id", group.lastId());
      known(reply, "entries-read", group.read(), StreamGroups.UNKNOWN);
      known(reply, "lag", group.lag(), StreamGroups.UNKNOWN_LAG);
      integer(reply, "pel-count", group.pending());
      reply.bulk("pending");
      pending(
          context,
          args,
          group,
          null,
          count,
          entry -> {
            reply.array(4);
            reply.bulk(entry.id().text());
            reply.bulk(entry.consumer());
            reply.integer(entry.deliveredMillis());
            reply.integer(entry.deliveries());
          });
      reply.bulk("consumers");
      fullConsumers(context, args, group, count);
    }
  }

  private static void fullConsumers(
      CommandContext context, Args args, StreamGroups.Info group, long count) {
    RespEncoder reply = context.reply();
    List<StreamConsumer> consumers =
        StreamGroups.consumers(
            context.transaction(), context.database(), args.get(2), group.name());
    reply.array(consumers.size());
    for (StreamConsumer consumer : consumers) {
      reply.map(4);
      reply.bulk("name");
      reply.bulk(consumer.name());
      integer(reply, "seen-time", consumer.seenMillis());
      integer(reply, "pel-count", consumer.pendingCount());
      reply.bulk("pending");
      pending(
          context,
          args,
          group,
          consumer.name(),
          count,
          entry -> {
            reply.array(3);
            reply.bulk(entry.id().text());
            reply.integer(entry.deliveredMillis());
            reply.integer(entry.deliveries());
          });
    }
  }

  private static void pending(
      CommandContext context,
      Args args,
      StreamGroups.Info group,
      byte @org.jspecify.annotations.Nullable [] consumer,
      long count,
      Consumer<PendingEntry> writer) {
    RespEncoder reply = context.reply();
    int array = reply.open();
    long[] found = new long[1];
    StreamClaims.pending(
        context.transaction(),
        context.database(),
        args.get(2),
        group.name(),
        consumer,
        StreamId.MIN,
        StreamId.MAX,
        entry -> {
          writer.accept(entry);
          return ++found[0] != count;
        });
    reply.insertArray(array, found[0]);
  }

  private static void groups(CommandContext context, Args args) {
    List<StreamGroups.Info> groups = requireGroups(context, args);
    RespEncoder reply = context.reply();
    reply.array(groups.size());
    for (StreamGroups.Info group : groups) {
      reply.map(6);
      reply.bulk("name");
      reply.bulk(group.name());
      integer(reply, "consumers", group.consumers());
      integer(reply, "pending", group.pending());
      id(reply, "last-delivered-id", group.lastId());
      known(reply, "entries-read", group.read(), StreamGroups.UNKNOWN);
      known(reply, "lag", group.lag(), StreamGroups.UNKNOWN_LAG);
    }
  }

  private static void consumers(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    List<StreamConsumer> consumers =
        StreamGroups.consumers(transaction, context.database(), args.get(2), args.get(3));
    RespEncoder reply = context.reply();
    reply.array(consumers.size());
    for (StreamConsumer consumer : consumers) {
      reply.map(3);
      reply.bulk("name");
      reply.bulk(consumer.name());
      integer(reply, "pending", consumer.pendingCount());
      integer(reply, "idle", Math.max(0, context.nowMillis() - consumer.seenMillis()));
    }
  }
}
