package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.codec.Databases;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.dump.Dumps;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Session;
import dev.varve.server.command.data.ObjectCommands;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.DoubleText;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** DEBUG, as far as clients and test suites use it, and only where the configuration allows it. */
public final class DebugCommand {
  private static final DataException NOT_ALLOWED =
      new DataException(
          "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\","
              + " you can run it from a local connection, otherwise you need to set this option in"
              + " the configuration file, and then restart the server.");
  private static final DataException NOT_A_SHAPE =
      new DataException(
          "ERR Wrong protocol type name. Please use one of the following:"
              + " string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
  private static final DataException NO_PUSH_IN_RESP2 =
      new DataException("ERR RESP2 is not supported by this command");
  private static final DataException DATABASES_CHANGE =
      new DataException("ERR databases change at this moment, try again");
  private static final List<String> HELP =
      List.of(
          "DEBUG <subcommand> and its arguments, where <subcommand> is one of",
          "LOG <message>",
          "    Take a message, and write it nowhere",
          "OBJECT <key>",
          "    Tell how the value of a key is stored",
          "PROTOCOL <type>",
          "    Give a reply of one of RESP's types",
          "SET-ACTIVE-EXPIRE <0|1>",
          "    Keep keys that have expired until they are read, or delete them",
          "SLEEP <seconds>",
          "    Reply after so many seconds; other clients are served meanwhile",
          "HELP",
          "    List the subcommands");
  private static final byte[] ATTRIBUTE =
      "|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n"
          .getBytes(StandardCharsets.US_ASCII);
  private static final long SLEEP_SECONDS_MAX = 3600;

  /** What DUMP puts around a value: its type, a version, a checksum. */
  private static final int DUMP_FRAME_BYTES = 1 + 2 + 8;

  private final Supplier<String> permission;
  private final Keyspace keyspace;
  private final LongSupplier clock;
  private final Consumer<Boolean> activeExpire;

  private DebugCommand(
      Supplier<String> permission,
      Keyspace keyspace,
      LongSupplier clock,
      Consumer<Boolean> activeExpire) {
    this.permission = permission;
    this.keyspace = keyspace;
    this.clock = clock;
    this.activeExpire = activeExpire;
  }

  /**
   * @param permission the value of enable-debug-command
   * @param clock ms since 1970
   * @param activeExpire lets expired keys be deleted, or not
   */
  public static void register(
      CommandTable table,
      Supplier<String> permission,
      Keyspace keyspace,
      LongSupplier clock,
      Consumer<Boolean> activeExpire) {
    DebugCommand debug = new DebugCommand(permission, keyspace, clock, activeExpire);
    table.add(
        CommandGroup.SERVER,
        Command.named("debug")
            .arity(-2)
            .flags(ADMIN, NOSCRIPT, LOADING, STALE)
            .since("1.0.0")
            .summary("Do what tests need; off without enable-debug-command")
            .at(Command.Place.WORKER)
            .rehearsed()
            .does(debug::run));
  }

  private void run(CommandContext context, Args args) {
    String allowed = permission.get();
    if (!allowed.equals("yes") && !(allowed.equals("local") && isLocal(context.session()))) {
      throw NOT_ALLOWED;
    }
    if (context.isTrial() && !args.is(1, "OBJECT")) {
      return;
    }
    if (args.is(1, "SLEEP") && args.count() == 3) {
      double seconds = DoubleText.parse(args.get(2));
      if (seconds > 0) {
        sleep((long) (Math.min(seconds, SLEEP_SECONDS_MAX) * 1e9));
      }
      context.reply().ok();
    } else if (args.is(1, "PROTOCOL") && args.count() == 3) {
      protocol(context.reply(), args.text(2).toLowerCase(Locale.ROOT));
    } else if (args.is(1, "OBJECT") && args.count() == 3) {
      object(context, args.get(2));
    } else if (args.is(1, "SET-ACTIVE-EXPIRE") && args.count() == 3) {
      // As in Redis, which takes what is no number for 0.
      activeExpire.accept(args.text(2).matches("\\s*[+-]?0*[1-9].*"));
      context.reply().ok();
    } else if (args.is(1, "LOG") && args.count() == 3) {
      context.reply().ok();
    } else if (args.is(1, "HELP") && args.count() == 2) {
      context.reply().array(HELP.size());
      HELP.forEach(context.reply()::status);
    } else {
      throw Arguments.wrongSubcommand(args);
    }
  }

  private static boolean isLocal(Session session) {
    String address = session.address();
    return session.isByUnixSocket()
        || address.startsWith("127.0.0.1:")
        || address.startsWith("[::1]:");
  }

  /** What is known of a key, in the form in which test suites and tools take it apart. */
  private void object(CommandContext context, byte[] key) {
    if (context.hasData()) {
      object(context, context.transaction(), key);
      return;
    }
    Databases databases = keyspace.publishedDatabases();
    try (StoreView view = keyspace.engine().blockingView()) {
      if (databases == null || keyspace.publishedDatabases() != databases) {
        throw DATABASES_CHANGE;
      }
      object(context, keyspace.looking(view, databases, clock.getAsLong()), key);
    }
  }

  private void object(CommandContext context, Transaction transaction, byte[] key) {
    Meta meta = transaction.peek(context.database(), key);
    byte[] dump = meta == null ? null : Dumps.dump(transaction, context.database(), key);
    if (meta == null || dump == null) {
      throw DataException.NO_SUCH_KEY;
    }
    context
        .reply()
        .status(
            "Value at:0x0 refcount:1 encoding:"
                + ObjectCommands.encoding(meta)
                + " serializedlength:"
                + (dump.length - DUMP_FRAME_BYTES)
                + " lru:0 lru_seconds_idle:"
                + keyspace.accessTimes().idleSeconds(transaction, context.database(), key));
  }

  /** One of each shape of reply, for tests of clients. */
  private static void protocol(RespEncoder reply, String shape) {
    switch (shape) {
      case "string" -> reply.bulk("Hello World");
      case "integer" -> reply.integer(12345);
      case "double" -> reply.real(3.141);
      case "null" -> reply.nullBulk();
      case "array" -> {
        reply.array(3);
        threeNumbers(reply);
      }
      case "set" -> {
        reply.set(3);
        threeNumbers(reply);
      }
      case "map" -> {
        reply.map(3);
        for (int i = 0; i < 3; i++) {
          reply.integer(i);
          reply.bool(i == 1);
        }
      }
      case "attrib" -> {
        if (reply.protocol() == 3) {
          reply.raw(ATTRIBUTE);
        }
        reply.bulk("Some real reply following the attribute");
      }
      case "push" -> {
        if (reply.protocol() != RespEncoder.PROTOCOL_MAX) {
          throw NO_PUSH_IN_RESP2;
        }
        reply.push(2);
        reply.bulk("server-cpu-usage");
        reply.integer(42);
        reply.bulk("Some real reply following the push reply");
      }
      case "verbatim" ->
          reply.verbatim("txt", "This is a verbatim\nstring".getBytes(StandardCharsets.US_ASCII));
      case "bignum" -> reply.bigNumber("1234567999999999999999999999999999999");
      case "true" -> reply.bool(true);
      case "false" -> reply.bool(false);
      default -> throw NOT_A_SHAPE;
    }
  }

  private static void threeNumbers(RespEncoder reply) {
    for (int i = 0; i < 3; i++) {
      reply.integer(i);
    }
  }

  private static void sleep(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }
}
