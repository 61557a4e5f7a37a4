package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.READONLY;

import dev.varve.codec.Meta;
import dev.varve.codec.format.ValueType;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;

/** MEMORY and what it contains. */
public final class MemoryCommands {

  /** What a key costs besides its bytes: the entry's own key, and the head of its meta. */
  private static final int KEY_BYTES = 32;

  private final ServerStatus status;

  private MemoryCommands(ServerStatus status) {
    this.status = status;
  }

  public static void register(CommandTable table, ServerStatus status) {
    MemoryCommands commands = new MemoryCommands(status);
    table.add(
        CommandGroup.SERVER,
        Command.named("memory")
            .arity(-2)
            .since("4.0.0")
            .summary("Look at what takes memory")
            .subcommands(
                Command.named("usage")
                    .arity(-3)
                    .flags(READONLY)
                    .keys(2, 2, 1)
                    .since("4.0.0")
                    .summary("Give the bytes that a key takes in the tree, before compression")
                    .does(MemoryCommands::usage),
                sub("stats", "Give how many bytes each part of the server takes")
                    .does(commands::statistics),
                sub("doctor", "Say in words whether something is wrong with memory")
                    .does(commands::doctor),
                sub("malloc-stats", "Answer that the allocator has no figures of its own")
                    .does(
                        (context, args) -> text(context, "Stats not supported for this allocator")),
                sub("purge", "Answer OK; the collector gives memory back by itself")
                    .does((context, args) -> context.reply().ok())));
  }

  private static Command sub(String name, String summary) {
    return Command.named(name).arity(2).since("4.0.0").summary(summary);
  }

  private static void text(CommandContext context, String text) {
    context.reply().verbatim("txt", text.getBytes(StandardCharsets.UTF_8));
  }

  /** The bytes that a key takes in the tree, before compression. */
  private static void usage(CommandContext context, Args args) {
    for (int i = 3; i < args.count(); i += 2) {
      if (!args.is(i, "SAMPLES") || i + 1 == args.count()) {
        throw Arguments.SYNTAX_ERROR;
      }
      if (Arguments.integer(args, i + 1) < 0) {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    Meta meta = context.transaction().peek(context.database(), args.get(2));
    if (meta == null) {
      context.reply().nullBulk();
    } else {
      context.reply().integer(KEY_BYTES + args.get(2).length + valueBytes(meta));
    }
  }

  private static long valueBytes(Meta meta) {
    if (meta.isSpread()) {
      return meta.bytes();
    }
    return meta.type() == ValueType.STRING ? meta.string().length() : meta.packed().encodedBytes();
  }

  private void doctor(CommandContext context, Args args) {
    text(context, MemoryAdvice.of(status.memory()));
  }

  private void statistics(CommandContext context, Args args) {
    MemoryUse use = status.memory();
    RespEncoder reply = context.reply();
    reply.map(5L + use.outside().size());
    figure(reply, "peak.allocated", status.memoryPeakBytes());
    figure(reply, "total.allocated", use.bytes());
    figure(reply, "heap.used", use.heapBytes());
    figure(reply, "heap.committed", use.heapCommittedBytes());
    figure(reply, "heap.max", use.heapMaxBytes());
    use.outside().forEach((name, bytes) -> figure(reply, "off-heap." + name, bytes));
  }

  private static void figure(RespEncoder reply, String name, long bytes) {
    reply.bulk(name);
    reply.integer(bytes);
  }
}
