package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.stream.StreamTrim;
import dev.varve.codec.stream.Streams;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;

/** The commands of the stream group that are about entries alone, but for reads that may wait. */
public final class StreamCommands {
  private static final DataException ZERO_ID =
      new DataException("ERR The ID specified in XADD must be greater than 0-0");
  private static final DataException ADDED_NEGATIVE =
      new DataException("ERR entries_added must be positive");
  private static final DataException BELOW_DELETED =
      new DataException(
          "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id");

  private StreamCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.STREAM,
        stream("xadd", -5, "Add an entry to a stream, and trim the stream if wanted")
            .flags(WRITE, DENYOOM, FAST)
            .does(StreamCommands::add),
        stream("xlen", 2, "Count the entries of a stream; O(1)")
            .flags(READONLY, FAST)
            .does(StreamCommands::length),
        stream("xdel", -3, "Delete entries by their ids")
            .flags(WRITE, FAST)
            .does(StreamCommands::delete),
        stream("xtrim", -4, "Drop the oldest entries, down to a length or an id")
            .flags(WRITE)
            .does(StreamCommands::trim),
        stream("xrange", -4, "Give the entries between two ids, the oldest first")
            .flags(READONLY)
            .does((context, args) -> range(context, args, false)),
        stream("xrevrange", -4, "Give the entries between two ids, the newest first")
            .flags(READONLY)
            .does((context, args) -> range(context, args, true)),
        stream("xsetid", -3, "Set the last id of a stream, as replication does")
            .flags(WRITE, DENYOOM, FAST)
            .does(StreamCommands::setId));
    StreamReadCommands.register(table);
    StreamGroupCommands.register(table);
    StreamInfoCommands.register(table);
  }

  private static Command stream(String name, int arity, String summary) {
    return Command.named(name).arity(arity).keys(1, 1, 1).since("5.0.0").summary(summary);
  }

  private static void add(CommandContext context, Args args) {
    StreamArguments.TrimOptions options =
        new StreamArguments.TrimOptions(args, 2, true, context.session().isMaster());
    int idAt = options.end;
    if (idAt == args.count()) {
      throw Arguments.wrongNumber(context.command());
    }
    Streams.NewId newId = StreamArguments.newId(args, idAt);
    int items = args.count() - idAt - 1;
    if (items < 2 || items % 2 != 0) {
      throw Arguments.wrongNumber(context.command());
    }
    if (!newId.isTimed() && !newId.isCounted() && newId.millis() == 0 && newId.sequence() == 0) {
      throw ZERO_ID;
    }
    StreamId id =
        Streams.add(
            context.transaction(),
            context.database(),
            args.get(1),
            newId,
            args.list(idAt + 1, args.count()),
            options.creates,
            options.trim);
    if (id != null && context.effects().areWanted()) {
      // Its id may be of the time, and what goes depend on how the entries are kept.
      List<byte[]> fields = args.list(idAt + 1, args.count());
      context.effects().insteadWith(context.database(), fields, "XADD", args.get(1), id.text());
      if (options.trim != null) {
        tellLength(context, args.get(1));
      }
    }
    MemberReply.bulk(context.reply(), id == null ? null : id.text());
  }

  private static void tellLength(CommandContext context, byte[] key) {
    long length = Streams.length(context.transaction(), context.database(), key);
    context.effects().instead(context.database(), "XTRIM", key, "MAXLEN", "=", length);
  }

  private static void length(CommandContext context, Args args) {
    context.reply().integer(Streams.length(context.transaction(), context.database(), args.get(1)));
  }

  private static void delete(CommandContext context, Args args) {
    if (context.transaction().findForWrite(context.database(), args.get(1), ValueType.STREAM)
        == null) {
      context.reply().integer(0);
      return;
    }
    context
        .reply()
        .integer(
            Streams.delete(
                context.transaction(),
                context.database(),
                args.get(1),
                StreamArguments.ids(args, 2)));
  }

  private static void trim(CommandContext context, Args args) {
    boolean isMaster = context.session().isMaster();
    StreamTrim trim = new StreamArguments.TrimOptions(args, 2, false, isMaster).trim;
    if (trim == null) {
      throw Arguments.SYNTAX_ERROR;
    }
    long trimmed = Streams.trim(context.transaction(), context.database(), args.get(1), trim);
    if (trimmed > 0 && context.effects().areWanted()) {
      tellLength(context, args.get(1));
    }
    context.reply().integer(trimmed);
  }

  private static void range(CommandContext context, Args args, boolean reverse) {
    StreamId from = StreamArguments.start(args, reverse ? 3 : 2);
    StreamId to = StreamArguments.end(args, reverse ? 2 : 3);
    long count = StreamArguments.count(args, 4);
    RespEncoder reply = context.reply();
    if (context.transaction().find(context.database(), args.get(1), ValueType.STREAM) == null) {
      reply.array(0);
      return;
    }
    if (count == 0) {
      reply.nullArray();
      return;
    }
    int array = reply.open();
    long[] found = new long[1];
    Streams.walk(
        context.transaction(),
        context.database(),
        args.get(1),
        from,
        to,
        reverse,
        (id, items) -> {
          StreamArguments.entry(reply, id, items);
          return ++found[0] != count;
        });
    reply.insertArray(array, found[0]);
  }

  private static void setId(CommandContext context, Args args) {
    StreamId last = StreamArguments.id(args, 2, 0);
    long added = -1;
    StreamId maxDeleted = null;
    for (int i = 3; i < args.count(); i++) {
      boolean hasMore = i + 1 < args.count();
      if (args.is(i, "ENTRIESADDED") && hasMore) {
        added = Arguments.integer(args, ++i);
        if (added < 0) {
          throw ADDED_NEGATIVE;
        }
      } else if (args.is(i, "MAXDELETEDID") && hasMore) {
        maxDeleted = StreamArguments.id(args, ++i, 0);
        if (last.compareTo(maxDeleted) < 0) {
          throw BELOW_DELETED;
        }
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    Streams.setId(context.transaction(), context.database(), args.get(1), last, added, maxDeleted);
    context.reply().ok();
  }
}
