package dev.varve.server.command.admin;

import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Rights;
import dev.varve.server.command.Session;
import dev.varve.server.command.Subscriptions;
import dev.varve.server.command.access.ByteText;
import dev.varve.server.command.access.Catalog;
import dev.varve.server.command.access.RuleException;
import dev.varve.server.command.access.User;
import dev.varve.server.command.access.UserLines;
import dev.varve.server.command.access.Users;
import dev.varve.server.command.observe.AccessLog;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.session.Clients;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ACL: users, what they may do, and what they were denied. Any thread, but for what changes users,
 * and for files.
 */
public final class AccessCommands {
  private static final Logger LOG = LoggerFactory.getLogger(AccessCommands.class);
  private static final int GENERATED_BITS = 256;
  private static final int GENERATED_BITS_MAX = 4096;
  private static final long LOGGED_SHOWN = 10;
  private static final double SECOND_MILLIS = 1000;

  private static final DataException NO_FILE =
      new DataException(
          "ERR This Redis instance is not configured to use an ACL file. You may want to specify"
              + " users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you"
              + " have a Redis configuration file set) in order to store users in the Redis"
              + " configuration.");
  private static final DataException DEFAULT_STAYS =
      new DataException("ERR The 'default' user cannot be removed");
  private static final DataException BAD_NAME =
      new DataException("ERR Usernames can't contain spaces or null characters");
  private static final DataException NOT_SAVED =
      new DataException(
          "ERR There was an error trying to save the ACLs. Please check the server logs for more"
              + " information");
  private static final DataException BAD_BITS =
      new DataException(
          "ERR ACL GENPASS argument must be the number of bits for the output password, a positive"
              + " number up to "
              + GENERATED_BITS_MAX);

  private final Keyspace keyspace;
  private final Clients clients;
  private final UserFile file;
  private final SecureRandom random = new SecureRandom();

  private AccessCommands(Keyspace keyspace, Clients clients, UserFile file) {
    this.keyspace = keyspace;
    this.clients = clients;
    this.file = file;
  }

  /**
   * @param clients who is closed that is no longer a user, or hears what he no longer may
   * @param file where users are kept
   */
  public static void register(
      CommandTable table, Keyspace keyspace, Clients clients, UserFile file) {
    AccessCommands commands = new AccessCommands(keyspace, clients, file);
    table.add(
        CommandGroup.SERVER,
        Command.named("acl")
            .arity(-2)
            .since("6.0.0")
            .summary("Say who may do what, and tell who was denied something")
            .subcommands(
                open("whoami", 2, "6.0.0", "Give the name of this connection's user")
                    .does(AccessCommands::whoAmI),
                Command.admin("users", 2, "6.0.0", "List the names of all users")
                    .does(commands::names),
                open("cat", -2, "6.0.0", "List the categories, or the commands of one")
                    .does(commands::categories),
                Command.admin("list", 2, "6.0.0", "Give the rules of all users")
                    .does(commands::list),
                Command.admin("getuser", 3, "6.0.0", "Tell what a user may do")
                    .does(commands::user),
                Command.admin("dryrun", -4, "7.0.0", "Tell whether a user may run a command")
                    .does(commands::dryRun),
                open("genpass", -2, "6.0.0", "Make up a password").does(commands::generate),
                Command.admin("log", -2, "6.0.0", "Tell who was denied what").does(commands::log),
                // As CLIENT KILL: who is closed has written nothing after what this reply's reader
                // sees.
                Command.admin("setuser", -3, "6.0.0", "Make a user, or change its rules")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::set),
                Command.admin("deluser", -3, "6.0.0", "Delete users, and close their connections")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::delete),
                Command.admin("load", 2, "6.0.0", "Read the users from their file again")
                    .at(Command.Place.WORKER)
                    .does(commands::load),
                Command.admin("save", 2, "6.0.0", "Write the users into their file")
                    .at(Command.Place.WORKER)
                    .does(commands::save)));
  }

  private Users users() {
    return keyspace.users();
  }

  private static Command open(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary);
  }

  private static void text(RespEncoder reply, String text) {
    reply.bulk(ByteText.bytes(text));
  }

  private static void texts(RespEncoder reply, List<String> texts) {
    reply.array(texts.size());
    texts.forEach(each -> text(reply, each));
  }

  private static void whoAmI(CommandContext context, Args args) {
    text(context.reply(), context.session().rights().userName());
  }

  private void names(CommandContext context, Args args) {
    texts(context.reply(), users().all().stream().map(User::userName).toList());
  }

  private void list(CommandContext context, Args args) {
    texts(context.reply(), users().all().stream().map(User::line).toList());
  }

  private void categories(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    if (args.count() == 2) {
      context.reply().array(Catalog.CATEGORIES.size());
      Catalog.CATEGORIES.forEach(context.reply()::bulk);
      return;
    }
    List<Command> its = users().catalog().inCategory(args.text(2));
    if (its == null) {
      throw DataException.quoting("ERR Unknown category '", args.get(2), "'");
    }
    context.reply().array(its.size());
    its.forEach(command -> context.reply().bulk(command.fullName()));
  }

  private void user(CommandContext context, Args args) {
    RespEncoder reply = context.reply();
    User user = users().find(ByteText.of(args.get(2)));
    if (user == null) {
      reply.nullBulk();
      return;
    }
    List<String> flags = user.flags();
    List<User.Allowed> allowed = user.allowed();
    reply.map(6);
    reply.bulk("flags");
    reply.set(flags.size());
    flags.forEach(reply::bulk);
    reply.bulk("passwords");
    texts(reply, user.passwordDigests());
    allowed(reply, allowed.get(0));
    reply.bulk("selectors");
    reply.array(allowed.size() - 1);
    for (User.Allowed each : allowed.subList(1, allowed.size())) {
      reply.map(3);
      allowed(reply, each);
    }
  }

  private static void allowed(RespEncoder reply, User.Allowed allowed) {
    reply.bulk("commands");
    text(reply, allowed.commands());
    reply.bulk("keys");
    text(reply, allowed.keys());
    reply.bulk("channels");
    text(reply, allowed.channels());
  }

  private void dryRun(CommandContext context, Args args) {
    User user = users().find(ByteText.of(args.get(2)));
    if (user == null) {
      throw DataException.quoting("ERR User '", args.get(2), "' not found");
    }
    Args request = args.request(3);
    Command command = users().catalog().of(request);
    if (command == null) {
      throw DataException.quoting("ERR Command '", args.get(3), "' not found");
    }
    if (!command.allows(request.count())) {
      throw Arguments.wrongNumber(command);
    }
    Rights.Denial denial = user.denial(command, request);
    if (denial == null) {
      context.reply().ok();
      return;
    }
    String object = ByteText.of(request.get(denial.part()));
    text(
        context.reply(),
        "This user has no permissions to "
            + switch (denial.what()) {
              case COMMAND -> "run the '" + command.fullName() + "' command";
              case KEY -> "access the '" + object + "' key";
              case CHANNEL -> "access the '" + object + "' channel";
            });
  }

  // Changes --------------------------------------------------------------------------------------

  private void set(CommandContext context, Args args) {
    String name = ByteText.of(args.get(2));
    if (!Users.isName(name)) {
      throw BAD_NAME;
    }
    List<String> modifiers = new ArrayList<>();
    for (int i = 3; i < args.count(); i++) {
      modifiers.add(ByteText.of(args.get(i)));
    }
    if (context.isTrial()) {
      return;
    }
    try {
      User user = users().set(name, modifiers);
      closeListeners(context.session(), user);
    } catch (RuleException wrong) {
      throw new DataException("ERR " + wrong.what());
    }
    context.reply().ok();
  }

  /** Closes those who hear of channels of which their user may not hear. */
  private void closeListeners(Session self, User user) {
    clients.killAll(
        self,
        session ->
            session.rights() == user
                && !(hears(session, user, Subscriptions.Kind.CHANNEL)
                    && hears(session, user, Subscriptions.Kind.PATTERN)
                    && hears(session, user, Subscriptions.Kind.SHARD_CHANNEL)));
  }

  private static boolean hears(Session session, User user, Subscriptions.Kind kind) {
    return session.subscriptions().of(kind).stream()
        .allMatch(name -> user.allowsChannel(name.bytes(), kind == Subscriptions.Kind.PATTERN));
  }

  private void delete(CommandContext context, Args args) {
    for (int i = 2; i < args.count(); i++) {
      if (ByteText.of(args.get(i)).equals(Users.DEFAULT)) {
        throw DEFAULT_STAYS;
      }
    }
    if (context.isTrial()) {
      return;
    }
    int deleted = 0;
    for (int i = 2; i < args.count(); i++) {
      User user = users().delete(ByteText.of(args.get(i)));
      if (user != null) {
        deleted++;
        clients.killAll(context.session(), session -> session.rights() == user);
      }
    }
    context.reply().integer(deleted);
  }

  private void load(CommandContext context, Args args) {
    requireFile(context);
    try {
      List<User> gone = users().load(file.read());
      clients.killAll(context.session(), session -> gone.contains(session.rights()));
    } catch (RuleException wrong) {
      throw new DataException(
          "ERR "
              + wrong.what()
              + ". WARNING: ACL errors detected, no change to the previously active ACL rules was"
              + " performed");
    }
    context.reply().ok();
  }

  /** A loop runs what is queued, and may not wait for a disk. */
  private void requireFile(CommandContext context) {
    if (!file.isNamed()) {
      throw NO_FILE;
    }
    if (!context.mayWait()) {
      throw Arguments.WAITS_FOR_FILE;
    }
  }

  private void save(CommandContext context, Args args) {
    requireFile(context);
    try {
      file.write(UserLines.format(users()));
    } catch (IOException failure) {
      LOG.warn("users could not be saved: {}", failure.toString());
      throw NOT_SAVED;
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
    AccessLog log = keyspace.activity().accessLog();
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
    reply.bulk(entry.attempt().reason());
    reply.bulk("context");
    reply.bulk(entry.attempt().context());
    reply.bulk("object");
    text(reply, entry.attempt().object());
    reply.bulk("username");
    text(reply, entry.attempt().user());
    reply.bulk("age-seconds");
    reply.real(Math.max(0, nowMillis - entry.millis()) / SECOND_MILLIS);
    reply.bulk("client-info");
    reply.bulk(entry.client());
  }
}
