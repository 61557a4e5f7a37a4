package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.BLOCKING;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.stream.StreamGroups;
import dev.varve.codec.stream.Streams;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Name;
import dev.varve.server.command.Wait;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** XREAD and XREADGROUP, which may wait for entries. */
final class StreamReadCommands {
  private static final DataException NEW_IS_FOR_GROUPS =
      new DataException(
          "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group>"
              + " <consumer> option.");
  private static final DataException LAST_IS_MEANINGLESS =
      new DataException(
          "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history"
              + " of this consumer by specifying a proper ID, or use the > ID to get new messages."
              + " The $ ID would just return an empty result set.");
  private static final DataException LAST_ENTRY_IS_MEANINGLESS =
      new DataException(
          "ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history"
              + " of this consumer by specifying a proper ID, or use the > ID to get new messages."
              + " The + ID would just return an empty result set.");
  private static final DataException GROUP_IS_FOR_GROUPS =
      new DataException(
          "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.");
  private static final DataException NOACK_IS_FOR_GROUPS =
      new DataException(
          "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.");
  private static final DataException UNBALANCED =
      new DataException(
          "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be"
              + " specified.");
  private static final DataException NO_GROUP_OPTION =
      new DataException("ERR Missing GROUP option for XREADGROUP");
  private static final DataException GROUP_GONE =
      new DataException("NOGROUP the consumer group this client was blocked on no longer exists");
  private static final DataException GONE =
      new DataException("UNBLOCKED the stream key no longer exists");

  private StreamReadCommands() {}

  static void register(CommandTable table) {
    table.add(
        CommandGroup.STREAM,
        xread()
            .flags(READONLY, BLOCKING)
            .at(Command.Place.KEYSPACE_LOOP)
            .reads(args -> find(args, "BLOCK") < 0, xread().flags(READONLY)),
        xreadgroup()
            .flags(WRITE, BLOCKING)
            .waitsNot(args -> find(args, "BLOCK") < 0, xreadgroup().flags(WRITE)));
  }

  private static Command xreadgroup() {
    return Command.named("xreadgroup")
        .arity(-7)
        .keys(StreamReadCommands::keys)
        .since("5.0.0")
        .summary("Read for a consumer of a group: what is new, or what it has pending")
        .does((context, args) -> new Read(context, args, true).run(context));
  }

  private static Command xread() {
    return Command.named("xread")
        .arity(-4)
        .keys(StreamReadCommands::keys)
        .since("5.0.0")
        .summary("Give what came to some streams behind given ids; BLOCK waits for it")
        .does((context, args) -> new Read(context, args, false).run(context));
  }

  private static int[] keys(Args args) {
    int streams = find(args, "STREAMS");
    if (streams < 0) {
      return new int[0];
    }
    int[] keys = new int[(args.count() - streams - 1) / 2];
    for (int k = 0; k < keys.length; k++) {
      keys[k] = streams + 1 + k;
    }
    return keys;
  }

  /** Where an option stands, of which STREAMS is the last; negative if it does not. */
  private static int find(Args args, String option) {
    for (int i = 1; i < args.count(); i++) {
      if (args.is(i, option)) {
        return i;
      }
      if (args.is(i, "STREAMS")) {
        return -1;
      }
      if (args.is(i, "GROUP")) {
        i += 2;
      } else if (args.is(i, "COUNT") || args.is(i, "BLOCK")) {
        i++;
      }
    }
    return -1;
  }

  /** One request, read; it may be run again and again. */
  private static final class Read {
    private final Args args;
    private final boolean isGroup;
    private long count;
    private long timeoutMillis = -1;
    private boolean acknowledges;
    private byte @Nullable [] group;
    private byte @Nullable [] consumer;
    private int firstKey;
    private int streams;

    Read(CommandContext context, Args args, boolean isGroup) {
      this.args = args;
      this.isGroup = isGroup;
      for (int i = 1; i < args.count(); i++) {
        int left = args.count() - i - 1;
        if (args.is(i, "BLOCK") && left >= 1) {
          if (context.isInScript()) {
            throw new DataException(
                "ERR " + args.text(0) + " command is not allowed with BLOCK option from scripts");
          }
          timeoutMillis = Arguments.wholeTimeoutMillis(args, ++i);
        } else if (args.is(i, "COUNT") && left >= 1) {
          count = Math.max(0, Arguments.integer(args, ++i));
        } else if (args.is(i, "STREAMS") && left >= 1) {
          firstKey = i + 1;
          streams = left / 2;
          if (left % 2 != 0) {
            throw UNBALANCED;
          }
          break;
        } else if (args.is(i, "GROUP") && left >= 2) {
          if (!isGroup) {
            throw GROUP_IS_FOR_GROUPS;
          }
          group = args.get(i + 1);
          consumer = args.get(i + 2);
          i += 2;
        } else if (args.is(i, "NOACK")) {
          if (!isGroup) {
            throw NOACK_IS_FOR_GROUPS;
          }
          acknowledges = true;
        } else {
          throw Arguments.SYNTAX_ERROR;
        }
      }
      if (firstKey == 0) {
        throw Arguments.SYNTAX_ERROR;
      }
      if (isGroup && group == null) {
        throw NO_GROUP_OPTION;
      }
    }

    private byte[] key(int index) {
      return args.get(firstKey + index);
    }

    void run(CommandContext context) {
      @Nullable StreamId[] after = new @Nullable StreamId[streams];
      for (int i = 0; i < streams; i++) {
        after[i] = after(context, i);
      }
      // As in Redis, which looks each of them up twice.
      context.transaction().forgetLastLookups();
      RespEncoder reply = context.reply();
      int aggregate = reply.open();
      int found = 0;
      for (int i = 0; i < streams; i++) {
        context.transaction().find(context.database(), key(i));
        if (serves(context, key(i), after[i], true)) {
          found++;
        }
      }
      if (found > 0) {
        if (reply.protocol() == RespEncoder.PROTOCOL_MIN) {
          reply.insertArray(aggregate, found);
        } else {
          reply.insertMap(aggregate, found);
        }
      } else if (timeoutMillis < 0 || !context.mayWait()) {
        reply.nullArray();
      } else {
        waitFor(context, after);
      }
    }

    /** Behind which id to read; null for what nobody in the group was given. */
    private @Nullable StreamId after(CommandContext context, int index) {
      Transaction transaction = context.transaction();
      byte[] key = key(index);
      int idAt = firstKey + streams + index;
      byte[] its = group;
      transaction.find(context.database(), key, ValueType.STREAM);
      if (its != null) {
        if (!StreamGroups.exists(transaction, context.database(), key, its)) {
          throw StreamGroups.noGroup(key, its, " in XREADGROUP with GROUP option");
        }
      }
      if (args.is(idAt, "$")) {
        if (isGroup) {
          throw LAST_IS_MEANINGLESS;
        }
        return Streams.lastId(transaction, context.database(), key);
      }
      if (args.is(idAt, "+")) {
        if (isGroup) {
          throw LAST_ENTRY_IS_MEANINGLESS;
        }
        StreamId last = Streams.lastEntryId(transaction, context.database(), key);
        // Where there is none, whoever waits is served what comes.
        return last == null
            ? Streams.lastId(transaction, context.database(), key)
            : last.previous();
      }
      if (args.is(idAt, ">")) {
        if (!isGroup) {
          throw NEW_IS_FOR_GROUPS;
        }
        return null;
      }
      StreamId after = StreamArguments.id(args, idAt, 0);
      // As in Redis, which reads > as this id.
      return isGroup && after.equals(StreamId.MAX) ? null : after;
    }

    /** Replies with what there is in one stream; false, and no reply, if there is nothing. */
    private boolean serves(
        CommandContext context, byte[] key, @Nullable StreamId after, boolean isInside) {
      Transaction transaction = context.transaction();
      int database = context.database();
      byte[] its = group;
      byte[] who = consumer;
      boolean hasSome;
      if (its == null) {
        hasSome = after != null && Streams.firstAfter(transaction, database, key, after) != null;
      } else {
        hasSome = after != null || StreamGroups.hasNew(transaction, database, key, its);
      }
      if (!hasSome) {
        return false;
      }
      RespEncoder reply = context.reply();
      boolean isPair = reply.protocol() == RespEncoder.PROTOCOL_MIN;
      if (!isInside && isPair) {
        reply.array(1);
      } else if (!isInside) {
        reply.map(1);
      }
      if (isPair) {
        reply.array(2);
      }
      reply.bulk(key);
      int aggregate = reply.open();
      long found;
      if (its == null || who == null) {
        found = read(context, key, after == null ? StreamId.MIN : after);
      } else if (after == null) {
        found =
            StreamGroups.readNew(
                transaction,
                database,
                key,
                its,
                who,
                count,
                acknowledges,
                (id, items) -> StreamArguments.entry(reply, id, items));
      } else {
        found =
            StreamGroups.readPending(
                transaction,
                database,
                key,
                its,
                who,
                after,
                count,
                (id, items) -> StreamArguments.entry(reply, id, items));
      }
      reply.insertArray(aggregate, found);
      return true;
    }

    private long read(CommandContext context, byte[] key, StreamId after) {
      StreamId first = after.next();
      long[] found = new long[1];
      if (first != null) {
        Streams.walk(
            context.transaction(),
            context.database(),
            key,
            first,
            StreamId.MAX,
            false,
            (id, items) -> {
              StreamArguments.entry(context.reply(), id, items);
              return ++found[0] != count;
            });
      }
      return found[0];
    }

    private void waitFor(CommandContext context, @Nullable StreamId[] after) {
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        keys.add(key(i));
      }
      Wait wait =
          context.waitFor(
              keys,
              timeoutMillis,
              RespEncoder::nullArray,
              (its, key) -> {
                byte[] group = this.group;
                if (group != null) {
                  requireGroup(its, key, group);
                } else if (!isStream(its, key)) {
                  return false;
                }
                for (int i = 0; i < streams; i++) {
                  if (Arrays.equals(key, key(i)) && serves(its, key, after[i], false)) {
                    return true;
                  }
                }
                return false;
              });
      byte[] its = group;
      StreamId first = after[0];
      if (its != null) {
        wait.alsoWhenGone();
        // What is new to a group is so to each in it, whatever the key.
        wait.wants(new Name(its));
      } else if (streams == 1 && first != null) {
        wait.wants(first);
      }
    }

    private static boolean isStream(CommandContext context, byte[] key) {
      var meta = context.transaction().find(context.database(), key);
      return meta != null && meta.type() == ValueType.STREAM;
    }

    /** A client that waits with a group learns that it is gone. */
    private static void requireGroup(CommandContext context, byte[] key, byte[] group) {
      Transaction transaction = context.transaction();
      if (!isStream(context, key)) {
        throw GONE;
      }
      if (!StreamGroups.exists(transaction, context.database(), key, group)) {
        throw GROUP_GONE;
      }
    }
  }
}
