package dev.varve.server.command.session;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.access.ByteText;
import dev.varve.server.command.access.User;
import dev.varve.server.command.access.Users;
import dev.varve.server.command.observe.Activity;
import dev.varve.server.command.observe.Pause;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** CLIENT and what it contains. */
public final class ClientCommands {
  private static final DataException BAD_NAME =
      new DataException("ERR Client names cannot contain spaces, newlines or special characters.");

  /** CLIENT LIST and the slow log repeat them, and they are kept as long as the connection. */
  private static final int NAME_BYTES_MAX = 64 << 10;

  private static final DataException LONG_NAME =
      new DataException("ERR Client names cannot be longer than " + NAME_BYTES_MAX + " bytes");
  private static final DataException NO_ROOM =
      new DataException(
          "ERR names of clients and of their libraries take more than a 16th of the heap");

  private static final DataException NO_SUCH_CLIENT = new DataException("ERR No such client");
  private static final DataException NOT_A_CLIENT_ID = new DataException("ERR Invalid client ID");
  private static final DataException NOT_A_KILL_ID =
      new DataException("ERR client-id should be greater than 0");

  private static final DataException NOT_AN_AGE =
      new DataException("ERR maxage is not an integer or out of range");
  private static final DataException NO_AGE =
      new DataException("ERR maxage should be greater than 0");

  private static final DataException UNBLOCK_REASON =
      new DataException("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  private static final DataException PAUSE_MODE =
      new DataException("ERR CLIENT PAUSE mode must be WRITE or ALL");
  private static final Consumer<RespEncoder> UNBLOCKED =
      reply -> reply.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");

  private final Clients clients;
  private final Keyspace keyspace;
  private final Activity activity;
  private final ClientLine line;
  private final LongSupplier clock;

  private ClientCommands(Clients clients, Keyspace keyspace, LongSupplier clock) {
    this.clients = clients;
    this.keyspace = keyspace;
    this.activity = keyspace.activity();
    this.clock = clock;
    this.line = new ClientLine(activity, clock);
  }

  public static void register(
      CommandTable table, Clients clients, Keyspace keyspace, LongSupplier clock) {
    ClientCommands commands = new ClientCommands(clients, keyspace, clock);
    TrackingCommands tracking = new TrackingCommands(clients, keyspace.listeners().tracking());
    table.add(
        CommandGroup.CONNECTION,
        Command.named("client")
            .arity(-2)
            .since("2.4.0")
            .helpSince("5.0.0")
            .summary("Look at connections, name them, close them, hold them back")
            .subcommands(
                sub("id", 2, "5.0.0", "Give the number of this connection; none is used twice")
                    .does((context, args) -> context.reply().integer(context.session().id())),
                sub("getname", 2, "2.6.9", "Give this connection's name")
                    .does(ClientCommands::getName),
                sub("setname", 3, "2.6.9", "Give this connection a name for CLIENT LIST")
                    .does(commands::setName),
                sub("setinfo", 4, "7.2.0", "Note the name or version of the client's library")
                    .does(commands::setInfo),
                sub("info", 2, "6.2.0", "Give the line that CLIENT LIST has for this connection")
                    .does(commands::info),
                sub("list", -2, "2.4.0", "Give a line about each connection")
                    .flags(ADMIN)
                    .at(Command.Place.WORKER)
                    .does(commands::list),
                sub("kill", -3, "2.4.0", "Close connections by address, id, user or type")
                    .flags(ADMIN)
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::kill),
                sub(
                        "pause",
                        -3,
                        "2.9.50",
                        "Hold back all commands, or all that write, for some milliseconds")
                    .flags(ADMIN)
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::pause),
                sub("unpause", 2, "6.2.0", "End CLIENT PAUSE before its time")
                    .flags(ADMIN)
                    .does(commands::unpause),
                sub(
                        "tracking",
                        -3,
                        "6.0.0",
                        "Tell this client when keys change that it has read, or stop it")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(tracking::track),
                sub("trackinginfo", 2, "6.2.0", "Tell how tracking is set for this connection")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(tracking::info),
                sub(
                        "caching",
                        3,
                        "6.0.0",
                        "Tell whether the keys that the next command reads are tracked")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(tracking::caching),
                sub(
                        "getredir",
                        2,
                        "6.0.0",
                        "Give the id of the client that this one's invalidations go to")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(tracking::redirect),
                sub("reply", 3, "3.2.0", "Turn replies on or off, or leave out the next one")
                    .does(ClientCommands::reply),
                sub(
                        "unblock",
                        -3,
                        "5.0.0",
                        "End the wait of another client, by timeout or by an error")
                    .flags(ADMIN)
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::unblock),
                sub("no-evict", 3, "7.0.0", "Answer OK; no connection is closed to save memory")
                    .flags(ADMIN)
                    .does(ClientCommands::noEvict),
                sub("no-touch", 3, "7.2.0", "Let keys look as if this client did not use them")
                    .rehearsed()
                    .does(ClientCommands::noTouch)));
  }

  private static Command sub(String name, int arity, String since, String summary) {
    return Command.named(name)
        .arity(arity)
        .flags(NOSCRIPT, LOADING, STALE)
        .since(since)
        .summary(summary);
  }

  /** Refuses what cannot be shown in one field of CLIENT LIST. */
  static void checkName(byte[] name) {
    if (name.length > NAME_BYTES_MAX) {
      throw LONG_NAME;
    }
    for (byte letter : name) {
      if (letter < '!' || letter > '~') {
        throw BAD_NAME;
      }
    }
  }

  /** What there was room for, or not. */
  static void requireTaken(boolean isTaken) {
    if (!isTaken) {
      throw NO_ROOM;
    }
  }

  private static void getName(CommandContext context, Args args) {
    String name = context.session().name();
    if (name.isEmpty()) {
      context.reply().nullBulk();
    } else {
      context.reply().bulk(name);
    }
  }

  private void setName(CommandContext context, Args args) {
    checkName(args.get(2));
    requireTaken(activity.clientNames().name(context.session(), args.text(2)));
    context.reply().ok();
  }

  private void setInfo(CommandContext context, Args args) {
    String option = args.text(2);
    if (args.get(3).length > NAME_BYTES_MAX) {
      throw LONG_NAME;
    }
    for (byte letter : args.get(3)) {
      if (letter < '!' || letter > '~') {
        throw new DataException(
            "ERR " + option + " cannot contain spaces, newlines or special characters.");
      }
    }
    if (args.is(2, "LIB-NAME")) {
      requireTaken(activity.clientNames().libraryName(context.session(), args.text(3)));
    } else if (args.is(2, "LIB-VER")) {
      requireTaken(activity.clientNames().libraryVersion(context.session(), args.text(3)));
    } else {
      throw new DataException("ERR Unrecognized option '" + option + "'");
    }
    context.reply().ok();
  }

  private static void reply(CommandContext context, Args args) {
    Session session = context.session();
    if (args.is(2, "ON")) {
      session.replyMode(Session.ReplyMode.ON);
      context.reply().ok();
    } else if (args.is(2, "OFF")) {
      session.replyMode(Session.ReplyMode.OFF);
    } else if (args.is(2, "SKIP")) {
      if (session.replyMode() != Session.ReplyMode.OFF) {
        session.replyMode(Session.ReplyMode.SKIP_NEXT);
      }
    } else {
      throw Arguments.SYNTAX_ERROR;
    }
  }

  private static void noEvict(CommandContext context, Args args) {
    context.session().noEvict(isOn(args));
    context.reply().ok();
  }

  private static void noTouch(CommandContext context, Args args) {
    boolean isOn = isOn(args);
    if (!context.isTrial()) {
      context.session().noTouch(isOn);
    }
    if (context.hasData()) {
      // Inside MULTI, for the commands that follow: a trial uses their keys too.
      context.transaction().hideUses(isOn);
    }
    context.reply().ok();
  }

  private static boolean isOn(Args args) {
    boolean isOn = args.is(2, "ON");
    if (!isOn && !args.is(2, "OFF")) {
      throw Arguments.SYNTAX_ERROR;
    }
    return isOn;
  }

  private void info(CommandContext context, Args args) {
    context.reply().verbatim("txt", line.of(context.session()).getBytes(StandardCharsets.UTF_8));
  }

  private void list(CommandContext context, Args args) {
    List<Session> listed = new ArrayList<>();
    if (args.count() == 2) {
      listed.addAll(clients.sessions());
    } else if (args.count() == 4 && args.is(2, "TYPE")) {
      Predicate<Session> isMeant = ofType(args, 3);
      clients.sessions().stream().filter(isMeant).forEach(listed::add);
    } else if (args.count() > 3 && args.is(2, "ID")) {
      for (int i = 3; i < args.count(); i++) {
        Session session = clients.session(Arguments.integer(args, i, NOT_A_CLIENT_ID));
        if (session != null) {
          listed.add(session);
        }
      }
    } else {
      throw Arguments.SYNTAX_ERROR;
    }
    StringBuilder text = new StringBuilder();
    for (Session session : listed) {
      text.append(line.of(session));
    }
    context.reply().verbatim("txt", text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static Predicate<Session> ofType(Args args, int index) {
    String type = args.text(index).toLowerCase(Locale.ROOT);
    return switch (type) {
      case "normal" ->
          session -> !session.isSubscriber() && !session.isMaster() && !session.isReplica();
      case "pubsub" -> Session::isSubscriber;
      case "master" -> Session::isMaster;
      case "slave", "replica" -> Session::isReplica;
      default -> throw DataException.quoting("ERR Unknown client type '", args.get(index), "'");
    };
  }

  /*
   * On the keyspace loop: what the clients have written by then is seen by whoever sees this reply,
   * which waits for its commit, and they write no more. The same goes for a pause.
   */
  private void kill(CommandContext context, Args args) {
    if (args.count() == 3) {
      String address = args.text(2);
      if (clients.killAll(context.session(), session -> session.address().equals(address)) == 0) {
        throw NO_SUCH_CLIENT;
      }
      context.reply().ok();
    } else {
      Session self = context.session();
      context
          .reply()
          .integer(
              clients.killAll(self, killFilter(self, args, keyspace.users(), clock.getAsLong())));
    }
  }

  private static Predicate<Session> killFilter(
      Session self, Args args, Users users, long nowMillis) {
    Predicate<Session> filter = session -> true;
    boolean skipsSelf = true;
    for (int i = 2; i < args.count(); i += 2) {
      if (i + 1 == args.count()) {
        throw Arguments.SYNTAX_ERROR;
      }
      String value = args.text(i + 1);
      if (args.is(i, "ID")) {
        long id = Arguments.integer(args, i + 1, 1, Long.MAX_VALUE, NOT_A_KILL_ID);
        filter = filter.and(session -> session.id() == id);
      } else if (args.is(i, "MAXAGE")) {
        long seconds = Arguments.integer(args, i + 1, NOT_AN_AGE);
        if (seconds < 1) {
          throw NO_AGE;
        }
        filter = filter.and(session -> (nowMillis - session.createdMillis()) / 1000 >= seconds);
      } else if (args.is(i, "ADDR")) {
        filter = filter.and(session -> session.address().equals(value));
      } else if (args.is(i, "LADDR")) {
        filter = filter.and(session -> session.localAddress().equals(value));
      } else if (args.is(i, "TYPE")) {
        filter = filter.and(ofType(args, i + 1));
      } else if (args.is(i, "USER")) {
        User user = users.find(ByteText.of(args.get(i + 1)));
        if (user == null) {
          throw DataException.quoting("ERR No such user '", args.get(i + 1), "'");
        }
        filter = filter.and(session -> session.rights().userName().equals(user.userName()));
      } else if (args.is(i, "SKIPME") && (args.is(i + 1, "YES") || args.is(i + 1, "NO"))) {
        skipsSelf = args.is(i + 1, "YES");
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    return skipsSelf ? filter.and(session -> session != self) : filter;
  }

  private void unblock(CommandContext context, Args args) {
    if (args.count() > 4) {
      throw Arguments.wrongSubcommand(args);
    }
    boolean isError = args.count() == 4 && args.is(3, "ERROR");
    if (args.count() == 4 && !isError && !args.is(3, "TIMEOUT")) {
      throw UNBLOCK_REASON;
    }
    long id = Arguments.integer(args, 2);
    Session session = clients.session(id);
    Wait wait = session == null ? null : session.waiting();
    boolean isReleased = false;
    if (session != null && wait != null) {
      Consumer<RespEncoder> reply = isError ? UNBLOCKED : wait.onTimeout();
      isReleased = wait.release(reply);
      if (isReleased) {
        session.connection().endWait(wait, reply);
      }
    }
    context.reply().integer(isReleased ? 1 : 0);
  }

  private void pause(CommandContext context, Args args) {
    Pause.Kind kind = Pause.Kind.ALL;
    if (args.count() > 4) {
      throw Arguments.wrongSubcommand(args);
    }
    if (args.count() == 4) {
      if (args.is(3, "WRITE")) {
        kind = Pause.Kind.WRITES;
      } else if (!args.is(3, "ALL")) {
        throw PAUSE_MODE;
      }
    }
    long millis = Arguments.wholeTimeoutMillis(args, 2);
    long nowMillis = clock.getAsLong();
    if (millis > Long.MAX_VALUE - nowMillis) {
      // Redis says OK to it, and pauses nothing. Nobody can end what would hold UNPAUSE too.
      throw Arguments.TIMEOUT_NOT_AN_INTEGER;
    }
    long untilMillis = nowMillis + Math.min(millis, Pause.FOREVER_MILLIS);
    activity.pause().begin(Pause.Cause.CLIENT_PAUSE, kind, untilMillis, nowMillis);
    context.reply().ok();
  }

  private void unpause(CommandContext context, Args args) {
    activity.pause().end(Pause.Cause.CLIENT_PAUSE);
    context.reply().ok();
  }
}
