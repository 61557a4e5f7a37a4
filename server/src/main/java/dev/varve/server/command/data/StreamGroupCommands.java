package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.ValueType;
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
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands of groups of consumers. */
final class StreamGroupCommands {
  /** With each option once; Redis refuses more, but only once it has looked at the key. */
  private static final int CREATE_ARGUMENTS_MAX = 8;

  private static final int SET_ID_ARGUMENTS_MAX = 7;

  private static final DataException BAD_READ =
      new DataException("ERR value for ENTRIESREAD must be positive or -1");
  private static final DataException COUNT_NOT_POSITIVE =
      new DataException("ERR COUNT must be > 0");
  private static final long COUNT_USUAL = 100;
  private static final long COUNT_MAX = Long.MAX_VALUE / 16;

  private StreamGroupCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.STREAM,
        Command.named("xgroup")
            .arity(-2)
            .since("5.0.0")
            .summary("Set up and take down the consumer groups of a stream")
            .subcommands(
                sub(
                        "create",
                        -5,
                        "Set up a group that reads from an id on; MKSTREAM makes the stream too")
                    .flags(DENYOOM)
                    .does(StreamGroupCommands::create),
                sub("setid", -5, "Let a group read on behind another id")
                    .does(StreamGroupCommands::setId),
                sub("destroy", 4, "Take down a group with its consumers and what they have pending")
                    .does(StreamGroupCommands::destroy),
                sub("createconsumer", 5, "Add a consumer to a group before it reads anything")
                    .flags(DENYOOM)
                    .since("6.2.0")
                    .does(StreamGroupCommands::createConsumer),
                sub(
                        "delconsumer",
                        5,
                        "Take a consumer out of a group, and what it has pending with it")
                    .does(StreamGroupCommands::deleteConsumer)),
        stream("xack", -4, "Tell a group that entries are dealt with and no longer pending")
            .flags(WRITE, FAST)
            .does(StreamGroupCommands::acknowledge),
        stream("xpending", -3, "Tell what a group was given and has not acknowledged")
            .flags(READONLY)
            .does(StreamGroupCommands::pending),
        stream("xclaim", -6, "Hand over named pending entries to a consumer")
            .flags(WRITE, FAST)
            .does(StreamGroupCommands::claim),
        stream(
                "xautoclaim",
                -6,
                "Hand over what has been pending for long to a consumer, step by step")
            .flags(WRITE, FAST)
            .since("6.2.0")
            .does(StreamGroupCommands::claimFrom));
  }

  private static Command stream(String name, int arity, String summary) {
    return Command.named(name).arity(arity).keys(1, 1, 1).since("5.0.0").summary(summary);
  }

  private static Command sub(String name, int arity, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(WRITE)
        .keys(2, 2, 1)
        .since("5.0.0")
        .summary(summary);
  }

  /** Where a new group begins; null for {@code $}. */
  private static @Nullable StreamId firstId(Args args, int index) {
    return args.is(index, "$") ? null : StreamArguments.id(args, index, 0);
  }

  /** Where a group goes on: here, unlike elsewhere, the ends of ranges are ids. */
  private static @Nullable StreamId nextId(Args args, int index) {
    if (args.is(index, "-")) {
      return StreamId.MIN;
    }
    return args.is(index, "+") ? StreamId.MAX : firstId(args, index);
  }

  private static DataException wrongForm(Args args) {
    return new DataException(
        "ERR unknown subcommand or wrong number of arguments for '"
            + args.text(1)
            + "'. Try XGROUP HELP.");
  }

  private static void create(CommandContext context, Args args) {
    boolean creates = false;
    long read = StreamGroups.UNKNOWN;
    for (int i = 5; i < args.count(); i++) {
      if (args.is(i, "MKSTREAM")) {
        creates = true;
      } else if (args.is(i, "ENTRIESREAD") && i + 1 < args.count()) {
        read = entriesRead(args, ++i);
      } else {
        throw wrongForm(args);
      }
    }
    Transaction transaction = context.transaction();
    if (!creates) {
      StreamGroups.requireStream(transaction, context.database(), args.get(2), null);
    } else {
      transaction.findForWrite(context.database(), args.get(2), ValueType.STREAM);
    }
    if (args.count() > CREATE_ARGUMENTS_MAX) {
      throw wrongForm(args);
    }
    StreamGroups.create(
        transaction, context.database(), args.get(2), args.get(3), firstId(args, 4), read, creates);
    context.reply().ok();
  }

  private static long entriesRead(Args args, int index) {
    long read = Arguments.integer(args, index);
    if (read < 0 && read != StreamGroups.UNKNOWN) {
      throw BAD_READ;
    }
    return read;
  }

  private static void setId(CommandContext context, Args args) {
    long read = StreamGroups.UNKNOWN;
    for (int i = 5; i < args.count(); i++) {
      if (args.is(i, "ENTRIESREAD") && i + 1 < args.count()) {
        read = entriesRead(args, ++i);
      } else {
        throw wrongForm(args);
      }
    }
    StreamGroups.requireStream(context.transaction(), context.database(), args.get(2), args.get(3));
    if (args.count() > SET_ID_ARGUMENTS_MAX) {
      throw wrongForm(args);
    }
    StreamGroups.setId(
        context.transaction(), context.database(), args.get(2), args.get(3), nextId(args, 4), read);
    context.reply().ok();
  }

  private static void destroy(CommandContext context, Args args) {
    boolean destroyed =
        StreamGroups.destroy(context.transaction(), context.database(), args.get(2), args.get(3));
    context.reply().integer(destroyed ? 1 : 0);
  }

  private static void createConsumer(CommandContext context, Args args) {
    boolean created =
        StreamGroups.createConsumer(
            context.transaction(), context.database(), args.get(2), args.get(3), args.get(4));
    context.reply().integer(created ? 1 : 0);
  }

  private static void deleteConsumer(CommandContext context, Args args) {
    context
        .reply()
        .integer(
            StreamGroups.deleteConsumer(
                context.transaction(), context.database(), args.get(2), args.get(3), args.get(4)));
  }

  private static void acknowledge(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    transaction.findForWrite(context.database(), args.get(1), ValueType.STREAM);
    if (!StreamGroups.exists(transaction, context.database(), args.get(1), args.get(2))) {
      context.reply().integer(0);
      return;
    }
    context
        .reply()
        .integer(
            StreamGroups.acknowledge(
                transaction,
                context.database(),
                args.get(1),
                args.get(2),
                StreamArguments.ids(args, 3)));
  }

  private static void pending(CommandContext context, Args args) {
    if (args.count() == 3) {
      pendingSummary(context, args);
      return;
    }
    if (args.count() < 6 || args.count() > 9) {
      throw Arguments.SYNTAX_ERROR;
    }
    int at = 3;
    long idleMillisMin = 0;
    if (args.is(3, "IDLE")) {
      idleMillisMin = Arguments.integer(args, 4);
      if (args.count() < 8) {
        throw Arguments.SYNTAX_ERROR;
      }
      at = 5;
    }
    long count = Math.max(0, Arguments.integer(args, at + 2));
    StreamId from = StreamArguments.start(args, at);
    StreamId to = StreamArguments.end(args, at + 1);
    byte[] consumer = at + 3 < args.count() ? args.get(at + 3) : null;
    Transaction transaction = context.transaction();
    RespEncoder reply = context.reply();
    int array = reply.open();
    long[] found = new long[1];
    long now = context.nowMillis();
    long idleMin = idleMillisMin;
    StreamClaims.pending(
        transaction,
        context.database(),
        args.get(1),
        args.get(2),
        consumer,
        from,
        to,
        entry -> {
          if (found[0] == count) {
            return false;
          }
          long idle = Math.max(0, now - entry.deliveredMillis());
          if (idle >= idleMin) {
            pending(reply, entry, idle);
            found[0]++;
          }
          return found[0] < count;
        });
    reply.insertArray(array, found[0]);
  }

  private static void pending(RespEncoder reply, PendingEntry entry, long idle) {
    reply.array(4);
    reply.bulk(entry.id().text());
    reply.bulk(entry.consumer());
    reply.integer(idle);
    reply.integer(entry.deliveries());
  }

  private static void pendingSummary(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    StreamClaims.Summary summary =
        StreamClaims.summary(transaction, context.database(), args.get(1), args.get(2));
    RespEncoder reply = context.reply();
    reply.array(4);
    reply.integer(summary.count());
    StreamId first = summary.first();
    StreamId last = summary.last();
    if (first == null || last == null) {
      reply.nullBulk();
      reply.nullBulk();
      reply.nullArray();
      return;
    }
    reply.bulk(first.text());
    reply.bulk(last.text());
    int array = reply.open();
    int consumers = 0;
    for (StreamConsumer consumer :
        StreamGroups.consumers(transaction, context.database(), args.get(1), args.get(2))) {
      if (consumer.pendingCount() > 0) {
        reply.array(2);
        reply.bulk(consumer.name());
        reply.bulk(consumer.pendingCount());
        consumers++;
      }
    }
    reply.insertArray(array, consumers);
  }

  private static DataException invalid(String what) {
    return new DataException("ERR Invalid " + what);
  }

  private static void claim(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    StreamClaims.requireGroup(transaction, context.database(), args.get(1), args.get(2));
    long idleMillisMin =
        Math.max(0, Arguments.integer(args, 4, invalid("min-idle-time argument for XCLAIM")));
    List<StreamId> ids = new ArrayList<>();
    int i = 5;
    for (; i < args.count(); i++) {
      StreamId id = StreamId.parse(args.get(i), 0, 0);
      if (id == null) {
        break;
      }
      ids.add(id);
    }
    long now = context.nowMillis();
    long delivered = -1;
    long deliveries = -1;
    boolean isForced = false;
    boolean isQuiet = false;
    StreamId lastId = null;
    for (; i < args.count(); i++) {
      boolean hasMore = i + 1 < args.count();
      if (args.is(i, "FORCE")) {
        isForced = true;
      } else if (args.is(i, "JUSTID")) {
        isQuiet = true;
      } else if (args.is(i, "IDLE") && hasMore) {
        delivered = now - Arguments.integer(args, ++i, invalid("IDLE option argument for XCLAIM"));
      } else if (args.is(i, "TIME") && hasMore) {
        delivered = Arguments.integer(args, ++i, invalid("TIME option argument for XCLAIM"));
      } else if (args.is(i, "RETRYCOUNT") && hasMore) {
        deliveries = Arguments.integer(args, ++i, invalid("RETRYCOUNT option argument for XCLAIM"));
      } else if (args.is(i, "LASTID") && hasMore) {
        lastId = StreamArguments.id(args, ++i, 0);
      } else {
        throw DataException.quoting("ERR Unrecognized XCLAIM option '", args.get(i), "'");
      }
    }
    if (delivered < 0 || delivered > now) {
      delivered = now;
    }
    StreamClaims.Terms terms =
        new StreamClaims.Terms(idleMillisMin, delivered, deliveries, isQuiet, isForced, lastId);
    List<StreamId> claimed =
        StreamClaims.claim(
            transaction, context.database(), args.get(1), args.get(2), args.get(3), terms, ids);
    claimed(context, args, claimed, isQuiet);
  }

  private static void claimed(
      CommandContext context, Args args, List<StreamId> claimed, boolean isQuiet) {
    RespEncoder reply = context.reply();
    reply.array(claimed.size());
    for (StreamId id : claimed) {
      if (isQuiet) {
        reply.bulk(id.text());
      } else {
        Streams.walk(
            context.transaction(),
            context.database(),
            args.get(1),
            id,
            id,
            false,
            (found, items) -> {
              StreamArguments.entry(reply, found, items);
              return false;
            });
      }
    }
  }

  private static void claimFrom(CommandContext context, Args args) {
    // As in Redis, before it looks at anything else.
    context.transaction().find(context.database(), args.get(1));
    long idleMillisMin =
        Math.max(0, Arguments.integer(args, 4, invalid("min-idle-time argument for XAUTOCLAIM")));
    StreamId from = StreamArguments.start(args, 5);
    long count = COUNT_USUAL;
    boolean isQuiet = false;
    for (int i = 6; i < args.count(); i++) {
      if (args.is(i, "COUNT") && i + 1 < args.count()) {
        count = Arguments.integer(args, ++i, 1, COUNT_MAX, COUNT_NOT_POSITIVE);
      } else if (args.is(i, "JUSTID")) {
        isQuiet = true;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    StreamClaims.Terms terms =
        new StreamClaims.Terms(idleMillisMin, context.nowMillis(), -1, isQuiet, false, null);
    StreamClaims.Claimed done =
        StreamClaims.claimFrom(
            context.transaction(),
            context.database(),
            args.get(1),
            args.get(2),
            args.get(3),
            terms,
            from,
            count);
    RespEncoder reply = context.reply();
    reply.array(3);
    reply.bulk(done.next().text());
    claimed(context, args, done.claimed(), isQuiet);
    reply.array(done.deleted().size());
    for (StreamId id : done.deleted()) {
      reply.bulk(id.text());
    }
  }
}
