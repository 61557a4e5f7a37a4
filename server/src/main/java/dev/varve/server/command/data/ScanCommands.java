package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.READONLY;

import dev.varve.codec.Glob;
import dev.varve.codec.KeyWalk;
import dev.varve.codec.ScanPage;
import dev.varve.codec.format.ValueType;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The commands of the generic group that walk over all keys: KEYS, SCAN, RANDOMKEY. */
public final class ScanCommands {
  private final ScanCursors cursors;

  private ScanCommands(ScanCursors cursors) {
    this.cursors = cursors;
  }

  public static void register(CommandTable table) {
    ScanCommands commands =
        new ScanCommands(
            new ScanCursors(new SplittableRandom(), ScanCursors.COUNT_MAX, ScanCursors.BYTES_MAX));
    table.add(
        CommandGroup.GENERIC,
        Command.named("keys")
            .arity(2)
            .flags(READONLY)
            .summary("Give every key that matches a pattern; SCAN does it step by step")
            .does(ScanCommands::keys),
        Command.named("scan")
            .arity(-2)
            .flags(READONLY)
            .since("2.8.0")
            .summary("Walk through the keys of the database, step by step")
            .does(commands::scan),
        Command.named("randomkey")
            .arity(1)
            .flags(READONLY)
            .summary("Draw a random key of the database")
            .does(ScanCommands::randomKey));
  }

  private static void keys(CommandContext context, Args args) {
    Glob match = new Glob(args.get(1));
    RespEncoder reply = context.reply();
    int array = reply.open();
    long found = KeyWalk.all(context.transaction(), context.database(), match, reply::bulk);
    reply.insertArray(array, found);
  }

  private static void keys(CommandContext context, List<byte[]> keys) {
    context.reply().array(keys.size());
    for (byte[] key : keys) {
      context.reply().bulk(key);
    }
  }

  private void scan(CommandContext context, Args args) {
    long cursor = ScanArguments.cursor(args, 1);
    ScanArguments options = ScanArguments.options(args, 2, ScanArguments.Over.KEYS);
    byte[] after = null;
    if (cursor != 0) {
      after = cursors.place(cursor);
      if (after == null && cursors.isGiven(cursor)) {
        throw ScanArguments.invalidCursor();
      }
    }
    ValueType type = options.type() == null ? null : typeNamed(options.type());
    ScanPage page =
        options.type() != null && type == null
            ? new ScanPage(List.of(), null)
            : KeyWalk.scan(
                context.transaction(),
                context.database(),
                after,
                options.count(),
                options.match(),
                type);
    context.reply().array(2);
    byte[] next = page.next();
    context.reply().bulk(next == null ? 0 : cursors.add(next));
    keys(context, page.keys());
  }

  private static @Nullable ValueType typeNamed(String name) {
    for (ValueType type : ValueType.values()) {
      if (type.redisName().equalsIgnoreCase(name)) {
        return type;
      }
    }
    return null;
  }

  private static void randomKey(CommandContext context, Args args) {
    byte[] key = KeyWalk.randomKey(context.transaction(), context.database());
    if (key == null) {
      context.reply().nullBulk();
    } else {
      context.reply().bulk(key);
    }
  }
}
