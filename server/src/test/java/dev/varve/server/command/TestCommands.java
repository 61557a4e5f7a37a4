package dev.varve.server.command;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.EventClass;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.server.resp.Args;
import java.util.concurrent.atomic.AtomicLong;

/** A few commands on plain values, so that the server can be tested without its groups. */
public final class TestCommands {
  private TestCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.STRING,
        Command.named("t.set").arity(-3).flags(WRITE).keys(1, 1, 1).does(TestCommands::set),
        Command.named("t.get").arity(2).flags(READONLY).keys(1, 1, 1).does(TestCommands::get),
        Command.named("t.add").arity(3).flags(WRITE).keys(1, 1, 1).does(TestCommands::add),
        Command.named("t.fail")
            .arity(1)
            .does(
                (context, args) -> {
                  context.reply().array(3);
                  throw new IllegalStateException("on purpose");
                }),
        Command.named("t.act").arity(1).flags(ADMIN).does(act()),
        Command.named("t.big").arity(2).flags(READONLY).does(TestCommands::big),
        Command.named("t.wrong").arity(2).flags(WRITE).does(TestCommands::wrong),
        Command.named("t.slow")
            .arity(1)
            .at(Command.Place.WORKER)
            .does((context, args) -> context.reply().status("WORKED")));
  }

  /** Does something that is in no transaction, and says how often it has. */
  private static CommandFunction act() {
    AtomicLong acts = new AtomicLong();
    return (context, args) -> context.reply().integer(acts.incrementAndGet());
  }

  private static void set(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    Meta old = transaction.findForWrite(context.database(), args.get(1));
    Meta meta = Meta.ofString(args.get(2));
    if (args.count() > 3) {
      meta.setExpiryMillis(context.nowMillis() + Arguments.integer(args, 3));
    }
    transaction.replace(context.database(), args.get(1), old, meta);
    transaction.event(EventClass.STRING, "set", context.database(), args.get(1));
    context.reply().ok();
  }

  private static void get(CommandContext context, Args args) {
    Meta meta = context.transaction().find(context.database(), args.get(1));
    if (meta == null) {
      context.reply().nullBulk();
    } else {
      context.reply().bulk(meta.string().toBytes());
    }
  }

  private static void add(CommandContext context, Args args) {
    Transaction transaction = context.transaction();
    Meta old = transaction.findForWrite(context.database(), args.get(1));
    long sum = Arguments.integer(args, 2);
    if (old != null) {
      sum += Arguments.integer(new Args(new byte[][] {old.string().toBytes()}, 1), 0);
    }
    byte[] text = Long.toString(sum).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    transaction.replace(context.database(), args.get(1), old, Meta.ofString(text));
    transaction.event(EventClass.STRING, "incrby", context.database(), args.get(1));
    context.reply().integer(sum);
  }

  private static void big(CommandContext context, Args args) {
    context.reply().bulk(new byte[(int) Arguments.positive(args, 1)]);
  }

  private static void wrong(CommandContext context, Args args) {
    throw DataException.WRONG_TYPE;
  }
}
