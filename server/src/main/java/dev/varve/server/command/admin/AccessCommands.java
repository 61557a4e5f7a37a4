package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;
import static dev.varve.server.command.admin.SingleNodeCommands.admin;
import static dev.varve.server.command.admin.SingleNodeCommands.refusing;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.observe.AccessLog;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * ACL: the truth about the one user there is, who may do everything once it is logged in, and an
 * error where somebody wants other users or other rights. Any thread.
 */
public final class AccessCommands {
  private static final String USER = "default";
  private static final String ALL_COMMANDS = "+@all";
  private static final String ALL_KEYS = "~*";
  private static final String ALL_CHANNELS = "&*";

  private static final int GENERATED_BITS = 256;
  private static final int GENERATED_BITS_MAX = 4096;
  private static final long LOGGED_SHOWN = 10;
  private static final double SECOND_MILLIS = 1000;

  private static final DataException ONE_USER =
      new DataException(
          "ERR This server has one user, 'default', who may do everything; its password is the"
              + " parameter requirepass");
  private static final DataException NO_FILE =
      new DataException("ERR This server has one user, 'default', and no file of users");
  private static final DataException BAD_BITS =
      new DataException(
          "ERR ACL GENPASS argument must be the number of bits for the output password, a positive"
              + " number up to "
              + GENERATED_BITS_MAX);

  /** Redis's categories, in its order. */
  private static final List<String> CATEGORIES =
      List.of(
          "keyspace",
          "read",
          "write",
          "set",
          "sortedset",
          "list",
          "hash",
          "string",
          "bitmap",
          "hyperloglog",
          "geo",
          "stream",
          "pubsub",
          "admin",
          "fast",
          "slow",
          "blocking",
          "dangerous",
          "connection",
          "transaction",
          "scripting");

  private final CommandTable table;
  private final Supplier<String> password;
  private final AccessLog log;
  private final SecureRandom random = new SecureRandom();

  private AccessCommands(CommandTable table, Supplier<String> password, AccessLog log) {
    this.table = table;
    this.password = password;
    this.log = log;
  }

  /**
   * @param password what AUTH must give; empty if none is needed
   */
  public static void register(CommandTable table, Supplier<String> password, AccessLog log) {
    AccessCommands commands = new AccessCommands(table, password, log);
    table.add(
        CommandGroup.SERVER,
        Command.named("acl")
            .arity(-2)
            .since("6.0.0")
            .summary("Tell about users and rights; there is one user, default")
            .subcommands(
                open("whoami", 2, "6.0.0", "Give the name of this connection's user")
                    .does((context, args) -> context.reply().bulk(USER)),
                admin("users", 2, "6.0.0", "List the users, which is default alone")
                    .does((context, args) -> one(context.reply(), USER)),
                open("cat", -2, "6.0.0", "List the categories, or the commands of one")
                    .does(commands::categories),
                admin("list", 2, "6.0.0", "Give the rules of all users, which is default alone")
                    .does((context, args) -> one(context.reply(), commands.rules())),
                admin("getuser", 3, "6.0.0", "Tell what a user may do: default may do everything")
                    .does(commands::user),
                admin("dryrun", -4, "7.0.0", "Tell whether a user may run a command")
                    .does(commands::dryRun),
                open("genpass", -2, "6.0.0", "Make up a password").does(commands::generate),
                admin("log", -2, "6.0.0", "Tell who was refused when logging in")
                    .does(commands::log),
                refusing(
                    admin(
                        "setuser",
                        -3,
                        "6.0.0",
                        "Create a user or change its rules (refused: there is one user)"),
                    ONE_USER),
                refusing(
                    admin("deluser", -3, "6.0.0", "Delete users (refused: there is one)"),
                    ONE_USER),
                refusing(
                    admin(
                        "load",
                        2,
                        "6.0.0",
                        "Read the file of rules again (refused: there is none)"),
                    NO_FILE),
                refusing(
                    admin("save", 2, "6.0.0", "Write the file of rules (refused: there is none)"),
                    NO_FILE)));
  }

  private static Command open(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary);
  }

  private static void one(RespEncoder reply, String text) {
    reply.array(1);
    reply.bulk(text);
  }

  private void categories(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    if (args.count() == 2) {
      context.reply().array(CATEGORIES.size());
      CATEGORIES.forEach(context.reply()::bulk);
      return;
    }
    String category = args.text(2).toLowerCase(Locale.ROOT);
    if (!CATEGORIES.contains(category)) {
      throw DataException.quoting("ERR Unknown category '", args.get(2), "'");
    }
    List<String> names = IntrospectionCommands.inCategory(table, category);
    context.reply().array(names.size());
    names.forEach(context.reply()::bulk);
  }

  /** The rules of the user, as a file of users would have them. */
  private String rules() {
    String secret = password.get();
    return String.join(
        " ",
        "user",
        USER,
        "on",
        secret.isEmpty() ? "nopass" : '#' + digest(secret),
        ALL_KEYS,
        ALL_CHANNELS,
        ALL_COMMANDS);
  }

  private static String digest(String secret) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException everyPlatformHasIt) {
      throw new IllegalStateException(everyPlatformHasIt);
    }
  }

  private static boolean isUser(Args args, int index) {
    return Arrays.equals(args.get(index), USER.getBytes(StandardCharsets.US_ASCII));
  }

  private void user(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    if (!isUser(args, 2)) {
      reply.nullBulk();
      return;
    }
    String secret = password.get();
    reply.map(6);
    reply.bulk("flags");
    reply.set(secret.isEmpty() ? 2 : 1);
    reply.bulk("on");
    if (secret.isEmpty()) {
      reply.bulk("nopass");
    }
    reply.bulk("passwords");
    if (secret.isEmpty()) {
      reply.array(0);
    } else {
      one(reply, digest(secret));
    }
    reply.bulk("commands");
    reply.bulk(ALL_COMMANDS);
    reply.bulk("keys");
    reply.bulk(ALL_KEYS);
    reply.bulk("channels");
    reply.bulk(ALL_CHANNELS);
    reply.bulk("selectors");
    reply.array(0);
  }

  private void dryRun(CommandContext context, Args args) {
    if (!isUser(args, 2)) {
      throw DataException.quoting("ERR User '", args.get(2), "' not found");
    }
    Command command = table.find(args, 3);
    if (command == null) {
      throw DataException.quoting("ERR Command '", args.get(3), "' not found");
    }
    if (!command.allows(args.count() - 3)) {
      throw Arguments.wrongNumber(command);
    }
    context.reply().ok();
  }

  private void generate(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    long bits = args.count() == 2 ? GENERATED_BITS : Arguments.integer(args, 2);
    if (bits <= 0 || bits > GENERATED_BITS_MAX) {
      throw BAD_BITS;
    }
    int digits = (int) (bits + 3) / 4;
    byte[] bytes = new byte[(digits + 1) / 2];
    random.nextBytes(bytes);
    context.reply().bulk(HexFormat.of().formatHex(bytes).substring(0, digits));
  }

  private void log(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    if (args.count() == 3 && args.is(2, "RESET")) {
      log.clear();
      context.reply().ok();
      return;
    }
    long countMax = args.count() == 2 ? LOGGED_SHOWN : Arguments.integer(args, 2);
    List<AccessLog.Entry> newest = log.newest(countMax);
    long nowMillis = context.wallTime().toEpochMilli();
    context.reply().array(newest.size());
    newest.forEach(entry -> describe(context.reply(), entry, nowMillis));
  }

  private static void describe(RespEncoder reply, AccessLog.Entry entry, long nowMillis) {
    reply.map(7);
    reply.bulk("count");
    reply.integer(entry.count());
    reply.bulk("reason");
    reply.bulk("auth");
    reply.bulk("context");
    reply.bulk(entry.context());
    reply.bulk("object");
    reply.bulk(entry.command());
    reply.bulk("username");
    reply.bulk(entry.user());
    reply.bulk("age-seconds");
    reply.real(Math.max(0, nowMillis - entry.millis()) / SECOND_MILLIS);
    reply.bulk("client-info");
    reply.bulk(entry.client());
  }
}
