package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.READONLY;

import dev.varve.codec.AccessTimes;
import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.format.Slice;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/** OBJECT and what it contains. */
public final class ObjectCommands {
  private static final String AFTER_A_SWITCH =
      " Please note that when switching between policies at runtime LRU and LFU data will take some"
          + " time to adjust.";
  private static final DataException NO_FREQUENCY =
      new DataException(
          "ERR An LFU maxmemory policy is not selected, access frequency not tracked."
              + AFTER_A_SWITCH);
  private static final DataException NO_IDLE_TIME =
      new DataException(
          "ERR An LFU maxmemory policy is selected, idle time not tracked." + AFTER_A_SWITCH);

  /** Longer strings are not kept in one piece with their header in Redis. */
  private static final int EMBEDDED_BYTES_MAX = 44;

  private ObjectCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.GENERIC,
        Command.named("object")
            .arity(-2)
            .since("2.2.3")
            .helpSince("6.2.0")
            .summary("Look at how a value is kept")
            .subcommands(
                sub("encoding", "2.2.3", "Name the encoding that Redis would have chosen")
                    .does(ObjectCommands::encoding),
                sub("refcount", "2.2.3", "Give how many keys share a value: 1, as none do")
                    .does(ObjectCommands::referenceCount),
                sub("idletime", "2.2.3", "Give the seconds since a key was used, at the least")
                    .does(ObjectCommands::idleTime),
                sub(
                        "freq",
                        "4.0.0",
                        "Give how often a key is used, where an LFU policy is selected")
                    .does(ObjectCommands::frequency)));
  }

  private static Command sub(String name, String since, String summary) {
    return Command.named(name).arity(3).flags(READONLY).keys(2, 2, 1).since(since).summary(summary);
  }

  private static @Nullable Meta find(CommandContext context, Args args) {
    Meta meta = context.transaction().inspect(context.database(), args.get(2));
    if (meta == null) {
      context.reply().nullBulk();
    }
    return meta;
  }

  private static void encoding(CommandContext context, Args args) {
    Meta meta = find(context, args);
    if (meta != null) {
      context.reply().bulk(encoding(meta));
    }
  }

  /** The encoding that Redis 7.0 would have chosen. */
  public static String encoding(Meta meta) {
    return switch (meta.type()) {
      case STRING -> stringEncoding(meta);
      case LIST -> "quicklist";
      case SET -> meta.isIntegers() ? "intset" : "hashtable";
      case ZSET -> meta.isSpread() ? "skiplist" : "listpack";
      case HASH -> meta.isSpread() ? "hashtable" : "listpack";
      case STREAM -> "stream";
    };
  }

  private static String stringEncoding(Meta meta) {
    if (meta.isSpread()) {
      return "raw";
    }
    Slice value = meta.string();
    if (meta.isEdited() || value.length() > EMBEDDED_BYTES_MAX) {
      return "raw";
    }
    return !meta.isText() && IntegerText.isInteger(value) ? "int" : "embstr";
  }

  private static void referenceCount(CommandContext context, Args args) {
    if (find(context, args) != null) {
      context.reply().integer(1);
    }
  }

  private static void idleTime(CommandContext context, Args args) {
    if (find(context, args) != null) {
      AccessTimes times = context.accessTimes();
      if (times.isCounting()) {
        throw NO_IDLE_TIME;
      }
      context
          .reply()
          .integer(times.idleSeconds(context.transaction(), context.database(), args.get(2)));
    }
  }

  private static void frequency(CommandContext context, Args args) {
    if (find(context, args) != null) {
      AccessTimes times = context.accessTimes();
      if (!times.isCounting()) {
        throw NO_FREQUENCY;
      }
      context
          .reply()
          .integer(times.frequency(context.transaction(), context.database(), args.get(2)));
    }
  }
}
