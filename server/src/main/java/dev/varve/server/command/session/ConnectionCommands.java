package dev.varve.server.command.session;

import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.NO_AUTH;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Rights;
import dev.varve.server.command.Session;
import dev.varve.server.command.access.ByteText;
import dev.varve.server.command.access.User;
import dev.varve.server.command.access.Users;
import dev.varve.server.command.observe.AccessLog;
import dev.varve.server.command.observe.Activity;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;

/** PING, ECHO, HELLO, AUTH, SELECT, QUIT, RESET; CLIENT is in {@link ClientCommands}. */
public final class ConnectionCommands {

  /** The Redis whose replies and errors these commands give. */
  public static final String REDIS_VERSION = "7.0.15";

  private static final DataException NO_PASSWORD_SET =
      new DataException(
          "ERR AUTH <password> called without any password configured for the default user. Are you"
              + " sure your configuration is correct?");
  private static final DataException WRONG_PASSWORD =
      new DataException("WRONGPASS invalid username-password pair or user is disabled.");
  private static final DataException HELLO_NEEDS_AUTH =
      new DataException(
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
              + " AUTH <user> <pass> option can be used to authenticate the client and"
              + " select the RESP protocol version at the same time");
  private static final DataException NOT_A_PROTOCOL =
      new DataException("ERR Protocol version is not an integer or out of range");
  private static final DataException UNKNOWN_PROTOCOL =
      new DataException("NOPROTO unsupported protocol version");
  private static final DataException NO_SUCH_DATABASE =
      new DataException("ERR DB index is out of range");

  private static final byte[] NOTHING = {};

  private final Keyspace keyspace;

  private ConnectionCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  public static void register(CommandTable table, Keyspace keyspace) {
    ConnectionCommands commands = new ConnectionCommands(keyspace);
    Activity activity = keyspace.activity();
    activity
        .accessLog()
        .describer((session, nowMillis) -> new ClientLine(activity, () -> nowMillis).of(session));
    table.add(
        CommandGroup.CONNECTION,
        Command.named("ping")
            .arity(-1)
            .flags(FAST)
            .since("1.0.0")
            .summary("Answer PONG, or the argument")
            .forSubscribers()
            .does(ConnectionCommands::ping),
        Command.named("echo")
            .arity(2)
            .flags(LOADING, STALE, FAST)
            .since("1.0.0")
            .summary("Answer with the argument")
            .does(ConnectionCommands::echo),
        Command.named("select")
            .arity(2)
            .flags(LOADING, STALE, FAST)
            .since("1.0.0")
            .summary("Use another database from now on")
            .does(commands::select),
        Command.named("auth")
            .arity(-2)
            .flags(NOSCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY)
            .since("1.0.0")
            .summary("Log in with the password of the server")
            .does(commands::auth),
        Command.named("hello")
            .arity(-1)
            .flags(NOSCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY)
            .since("6.0.0")
            .summary("Choose RESP2 or RESP3, log in and set the name, in one go")
            .does(commands::hello),
        Command.named("quit")
            .arity(-1)
            .flags(NOSCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY)
            .since("1.0.0")
            .summary("Answer OK and close the connection")
            .runsInsideMulti()
            .forSubscribers()
            .does(ConnectionCommands::quit),
        Command.named("reset")
            .arity(1)
            .flags(NOSCRIPT, LOADING, STALE, FAST, NO_AUTH, ALLOW_BUSY)
            .since("6.2.0")
            .summary("Make the connection as it was when it was new")
            .at(Command.Place.KEYSPACE_LOOP)
            .runsInsideMulti()
            .forSubscribers()
            .does(commands::reset));
  }

  private static void ping(CommandContext context, Args args) {
    if (args.count() > 2) {
      throw Arguments.wrongNumber(context.command());
    }
    if (context.session().isSubscriber() && context.session().protocol() == 2) {
      context.reply().array(2);
      context.reply().bulk("pong");
      context.reply().bulk(args.count() == 1 ? NOTHING : args.get(1));
    } else if (args.count() == 1) {
      context.reply().status("PONG");
    } else {
      context.reply().bulk(args.get(1));
    }
  }

  private static void echo(CommandContext context, Args args) {
    context.reply().bulk(args.get(1));
  }

  private void select(CommandContext context, Args args) {
    int number = Arguments.int32(args, 1);
    if (number < 0 || number >= keyspace.databaseCount()) {
      throw NO_SUCH_DATABASE;
    }
    context.session().database(number);
    context.reply().ok();
  }

  private void auth(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.SYNTAX_ERROR;
    }
    if (args.count() == 2) {
      if (keyspace.users().byDefault().needsNoPassword()) {
        throw NO_PASSWORD_SET;
      }
      authenticate(context, args, Users.DEFAULT, args.get(1));
    } else {
      authenticate(context, args, ByteText.of(args.get(1)), args.get(2));
    }
    context.reply().ok();
  }

  private void authenticate(CommandContext context, Args request, String name, byte[] password) {
    User user = keyspace.users().find(name);
    if (user == null || !user.isProvenBy(password)) {
      noteRefused(context, request, name);
      throw WRONG_PASSWORD;
    }
    Session session = context.session();
    Rights before = session.rights();
    session.rights(user);
    if (keyspace.users().find(name) != user) {
      // Deleted meanwhile, by whoever closed those who were this user by then.
      session.rights(before);
      throw WRONG_PASSWORD;
    }
    session.authenticated(true);
  }

  private void noteRefused(CommandContext context, Args request, String name) {
    if (context.isTrial()) {
      return;
    }
    AccessLog log = keyspace.activity().accessLog();
    boolean isAlone = context.mayWait();
    AccessLog.Attempt attempt =
        new AccessLog.Attempt(
            "auth", isAlone ? "toplevel" : "multi", ByteText.of(request.get(0)), name);
    long nowMillis = context.wallTime().toEpochMilli();
    Session session = context.session();
    if (isAlone) {
      log.refused(session, attempt, nowMillis);
    } else {
      context.sendLater(request.bytes(), () -> log.refused(session, attempt, nowMillis));
    }
  }

  private void hello(CommandContext context, Args args) {
    Session session = context.session();
    int protocol = args.count() > 1 ? protocol(args) : session.protocol();
    // As in Redis, an option stays in force where a later one is refused.
    for (int i = 2; i < args.count(); i++) {
      int left = args.count() - 1 - i;
      if (args.is(i, "AUTH") && left >= 2) {
        authenticate(context, args, ByteText.of(args.get(i + 1)), args.get(i + 2));
        i += 2;
      } else if (args.is(i, "SETNAME") && left >= 1) {
        ClientCommands.checkName(args.get(++i));
        ClientCommands.requireTaken(keyspace.activity().clientNames().name(session, args.text(i)));
      } else {
        throw DataException.quoting("ERR Syntax error in HELLO option '", args.get(i), "'");
      }
    }
    if (!session.isAuthenticated()) {
      throw HELLO_NEEDS_AUTH;
    }
    session.protocol(protocol);
    context.reply().protocol(protocol);
    describe(context.reply(), session, keyspace.following());
  }

  private static int protocol(Args args) {
    long version = Arguments.integer(args, 1, NOT_A_PROTOCOL);
    if (version < RespEncoder.PROTOCOL_MIN || version > RespEncoder.PROTOCOL_MAX) {
      throw UNKNOWN_PROTOCOL;
    }
    return (int) version;
  }

  private static void describe(RespEncoder reply, Session session, Following following) {
    reply.map(7);
    reply.bulk("server");
    reply.bulk("redis");
    reply.bulk("version");
    reply.bulk(REDIS_VERSION);
    reply.bulk("proto");
    reply.integer(session.protocol());
    reply.bulk("id");
    reply.integer(session.id());
    reply.bulk("mode");
    reply.bulk(following.isInCluster() ? "cluster" : "standalone");
    reply.bulk("role");
    reply.bulk(following.isOn() ? "replica" : "master");
    reply.bulk("modules");
    reply.array(0);
  }

  private static void quit(CommandContext context, Args args) {
    context.session().close();
    context.reply().ok();
  }

  private void reset(CommandContext context, Args args) {
    if (context.isTrial()) {
      return;
    }
    Session session = context.session();
    session.endTransaction();
    keyspace.listeners().pubSub().unsubscribeFromAll(session);
    keyspace.listeners().tracking().end(session);
    keyspace.activity().monitors().remove(session);
    session.database(0);
    ClientCommands.requireTaken(keyspace.activity().clientNames().name(session, ""));
    session.noEvict(false);
    session.noTouch(false);
    session.readsHere(false);
    session.replyMode(Session.ReplyMode.ON);
    session.rights(keyspace.users().byDefault());
    session.authenticated(keyspace.users().byDefault().areOpen());
    session.protocol(RespEncoder.PROTOCOL_MIN);
    context.reply().protocol(RespEncoder.PROTOCOL_MIN);
    context.reply().status("RESET");
  }
}
