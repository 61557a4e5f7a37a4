package dev.varve.server.command.session;

import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.MAY_REPLICATE;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.PUBSUB;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.codec.Glob;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import dev.varve.server.command.Subscriptions.Kind;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.listen.PubSub;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** SUBSCRIBE, PUBLISH and their like, and PUBSUB. */
public final class PubSubCommands {
  private static final DataException NOT_IN_MULTI =
      new DataException("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");

  private final PubSub pubSub;
  private final Leading leading;

  private PubSubCommands(PubSub pubSub, Leading leading) {
    this.pubSub = pubSub;
    this.leading = leading;
  }

  /**
   * Registers them.
   *
   * @param leading those who follow this server have clients that listen too
   */
  public static void register(CommandTable table, PubSub pubSub, Leading leading) {
    PubSubCommands commands = new PubSubCommands(pubSub, leading);
    table.add(
        CommandGroup.PUBSUB,
        subscribing("subscribe", "2.0.0", "Receive what is published to channels")
            .does((context, args) -> commands.subscribe(context, args, Kind.CHANNEL)),
        unsubscribing("unsubscribe", "2.0.0", "Receive no more from these channels, or from any")
            .does((context, args) -> commands.unsubscribe(context, args, Kind.CHANNEL)),
        subscribing(
                "psubscribe",
                "2.0.0",
                "Receive what is published to channels whose names match patterns")
            .does((context, args) -> commands.subscribe(context, args, Kind.PATTERN)),
        unsubscribing("punsubscribe", "2.0.0", "Receive no more by these patterns, or by any")
            .does((context, args) -> commands.unsubscribe(context, args, Kind.PATTERN)),
        subscribing("ssubscribe", "7.0.0", "Receive what is published to shard channels")
            .keys(1, -1, 1)
            .does((context, args) -> commands.subscribe(context, args, Kind.SHARD_CHANNEL)),
        unsubscribing(
                "sunsubscribe", "7.0.0", "Receive no more from these shard channels, or from any")
            .keys(1, -1, 1)
            .does((context, args) -> commands.unsubscribe(context, args, Kind.SHARD_CHANNEL)),
        publishing("publish", "2.0.0", "Send a message to all who listen to a channel")
            .does(commands::publish),
        publishing("spublish", "7.0.0", "Send a message to all who listen to a shard channel")
            .keys(1, 1, 1)
            .does(commands::publishToShard),
        Command.named("pubsub")
            .arity(-2)
            .since("2.8.0")
            .helpSince("6.2.0")
            .summary("Look at who listens to what")
            .subcommands(
                sub("channels", -2, "2.8.0", "List the channels that somebody listens to")
                    .does((context, args) -> commands.channels(context, args, Kind.CHANNEL)),
                sub("numsub", -2, "2.8.0", "Count who listens to each channel, not by pattern")
                    .does((context, args) -> commands.subscribers(context, args, Kind.CHANNEL)),
                sub("numpat", 2, "2.8.0", "Count the different patterns that somebody listens to")
                    .does((context, args) -> context.reply().integer(pubSub.patternCount())),
                sub(
                        "shardchannels",
                        -2,
                        "7.0.0",
                        "List the shard channels that somebody listens to")
                    .does((context, args) -> commands.channels(context, args, Kind.SHARD_CHANNEL)),
                sub("shardnumsub", -2, "7.0.0", "Count who listens to each shard channel")
                    .does(
                        (context, args) ->
                            commands.subscribers(context, args, Kind.SHARD_CHANNEL))));
  }

  private static Command subscribing(String name, String since, String summary) {
    return Command.named(name)
        .arity(-2)
        .flags(PUBSUB, NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary)
        .forSubscribers()
        .at(Command.Place.KEYSPACE_LOOP);
  }

  private static Command unsubscribing(String name, String since, String summary) {
    return subscribing(name, since, summary).arity(-1);
  }

  private static Command publishing(String name, String since, String summary) {
    return Command.named(name)
        .arity(3)
        .flags(PUBSUB, LOADING, STALE, FAST, MAY_REPLICATE)
        .since(since)
        .summary(summary)
        .at(Command.Place.KEYSPACE_LOOP);
  }

  private static Command sub(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(PUBSUB, LOADING, STALE)
        .since(since)
        .summary(summary)
        .at(Command.Place.KEYSPACE_LOOP);
  }

  private void publish(CommandContext context, Args args) {
    byte[] channel = args.get(1);
    publish(
        context, args, () -> pubSub.publish(channel, args.get(2)), () -> pubSub.receivers(channel));
  }

  private void publishToShard(CommandContext context, Args args) {
    byte[] channel = args.get(1);
    publish(
        context,
        args,
        () -> pubSub.publish(Kind.SHARD_CHANNEL, channel, args.get(2)),
        () -> pubSub.receivers(Kind.SHARD_CHANNEL, channel));
  }

  /**
   * Publishes here and where others follow: inside MULTI and scripts when these are over.
   *
   * @param toAll publishes here, and returns to how many
   */
  private void publish(
      CommandContext context, Args args, IntSupplier toAll, IntSupplier receivers) {
    int database = context.database();
    IntSupplier everywhere =
        () -> {
          leading.stream().tell(database, args.list(0, args.count()));
          return toAll.getAsInt();
        };
    if (context.mayWait()) {
      replyReceivers(context, everywhere.getAsInt());
    } else {
      int reached = receivers.getAsInt();
      if (reached > 0 || leading.stream().isTold()) {
        context.sendLater(
            args.bytes(),
            () -> {
              int unused = everywhere.getAsInt();
            });
      }
      context.reply().integer(reached);
    }
  }

  /** As in Redis 7.0, who subscribes to what it publishes has the message first. */
  private static void replyReceivers(CommandContext context, int receivers) {
    context.session().pushFirst(context.reply());
    context.reply().integer(receivers);
  }

  private void subscribe(CommandContext context, Args args, Kind kind) {
    if (kind == Kind.SHARD_CHANNEL && !context.mayWait()) {
      throw NOT_IN_MULTI;
    }
    pubSub.requireRoom(args);
    Session session = context.session();
    for (int i = 1; i < args.count(); i++) {
      pubSub.subscribe(session, kind, new Name(args.get(i)));
      confirm(context, kind, kind.subscribe, args.get(i));
    }
  }

  private void unsubscribe(CommandContext context, Args args, Kind kind) {
    Session session = context.session();
    if (args.count() > 1) {
      for (int i = 1; i < args.count(); i++) {
        end(context, kind, args.get(i));
      }
      return;
    }
    List<Name> all = List.copyOf(session.subscriptions().of(kind));
    for (Name name : all) {
      end(context, kind, name.bytes());
    }
    if (all.isEmpty()) {
      confirm(context, kind, kind.unsubscribe, null);
    }
  }

  private void end(CommandContext context, Kind kind, byte[] name) {
    pubSub.unsubscribe(context.session(), kind, new Name(name));
    confirm(context, kind, kind.unsubscribe, name);
  }

  private static void confirm(
      CommandContext context, Kind kind, String what, byte @Nullable [] name) {
    context.session().keepReply();
    RespEncoder reply = context.reply();
    reply.push(3);
    reply.bulk(what);
    if (name == null) {
      reply.nullBulk();
    } else {
      reply.bulk(name);
    }
    reply.integer(context.session().subscriptions().confirmedCount(kind));
  }

  private void channels(CommandContext context, Args args, Kind kind) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    Glob pattern = args.count() == 2 ? null : new Glob(args.get(2), false);
    List<byte[]> found = pubSub.channels(kind, pattern);
    context.reply().array(found.size());
    found.forEach(context.reply()::bulk);
  }

  private void subscribers(CommandContext context, Args args, Kind kind) {
    context.reply().array(2L * (args.count() - 2));
    for (int i = 2; i < args.count(); i++) {
      context.reply().bulk(args.get(i));
      context.reply().integer(pubSub.subscribers(kind, args.get(i)));
    }
  }
}
