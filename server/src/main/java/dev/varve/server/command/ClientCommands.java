package dev.varve.server.command;

import static dev.varve.server.command.CommandFlag.ADMIN;
import static dev.varve.server.command.CommandFlag.LOADING;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.STALE;

import dev.varve.codec.DataException;
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
  private static final DataException NO_SUCH_CLIENT = new DataException("ERR No such client");
  private static final DataException NOT_A_CLIENT_ID = new DataException("ERR Invalid client ID");
  private static final DataException NOT_A_KILL_ID =
      new DataException("ERR client-id should be greater than 0");

  private static final DataException UNBLOCK_REASON =
      new DataException("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  private static final Consumer<RespEncoder> UNBLOCKED =
      reply -> reply.error("UNBLOCKED client unblocked via CLIENT UNBLOCK");

  private final Clients clients;
  private final LongSupplier clock;

  private ClientCommands(Clients clients, LongSupplier clock) {
    this.clients = clients;
    this.clock = clock;
  }

  public static void register(CommandTable table, Clients clients, LongSupplier clock) {
    ClientCommands commands = new ClientCommands(clients, clock);
    table.add(
        CommandGroup.CONNECTION,
        Command.named("client")
            .arity(-2)
            .since("2.4.0")
            .summary("A container for client connection commands")
            .subcommands(
                sub("id", 2, "5.0.0", "Returns the client ID for the current connection")
                    .does((context, args) -> context.reply().integer(context.session().id())),
                sub("getname", 2, "2.6.9", "Get the current connection name")
                    .does(ClientCommands::getName),
                sub("setname", 3, "2.6.9", "Set the current connection name")
                    .does(ClientCommands::setName),
                sub("setinfo", 4, "7.2.0", "Set client or connection specific info")
                    .does(ClientCommands::setInfo),
                sub("info", 2, "6.2.0", "Returns information about the current client connection.")
                    .does(commands::info),
                sub("list", -2, "2.4.0", "Get the list of client connections")
                    .flags(ADMIN)
                    .does(commands::list),
                sub("kill", -3, "2.4.0", "Kill the connection of a client")
                    .flags(ADMIN)
                    .does(commands::kill),
                sub("reply", 3, "3.2.0", "Instruct the server whether to reply to commands")
                    .does(ClientCommands::reply),
                sub("unblock", -3, "5.0.0", "Unblock a client blocked in a blocking command")
                    .flags(ADMIN)
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(commands::unblock),
                sub("no-evict", 3, "7.0.0", "Set client eviction mode for the current connection")
                    .flags(ADMIN)
                    .does(ClientCommands::noEvict)));
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
    for (byte letter : name) {
      if (letter < '!' || letter > '~') {
        throw BAD_NAME;
      }
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

  private static void setName(CommandContext context, Args args) {
    checkName(args.get(2));
    context.session().name(args.text(2));
    context.reply().ok();
  }

  private static void setInfo(CommandContext context, Args args) {
    String option = args.text(2);
    for (byte letter : args.get(3)) {
      if (letter < '!' || letter > '~') {
        throw new DataException(
            "ERR " + option + " cannot contain spaces, newlines or special characters.");
      }
    }
    if (args.is(2, "LIB-NAME")) {
      context.session().libraryName(args.text(3));
    } else if (args.is(2, "LIB-VER")) {
      context.session().libraryVersion(args.text(3));
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
    if (args.is(2, "ON")) {
      context.session().noEvict(true);
    } else if (args.is(2, "OFF")) {
      context.session().noEvict(false);
    } else {
      throw Arguments.SYNTAX_ERROR;
    }
    context.reply().ok();
  }

  private void info(CommandContext context, Args args) {
    context.reply().verbatim("txt", line(context.session()).getBytes(StandardCharsets.UTF_8));
  }

  private void list(CommandContext context, Args args) {
    List<Session> listed = new ArrayList<>();
    if (args.count() == 2) {
      listed.addAll(clients.sessions());
    } else if (args.count() == 4 && args.is(2, "TYPE")) {
      if (isNormalType(args, 3)) {
        listed.addAll(clients.sessions());
      }
    } else if (args.count() > 3 && args.is(2, "ID")) {
      for (int i = 3; i < args.count(); i++) {
        long id = Arguments.integer(args, i, NOT_A_CLIENT_ID);
        clients.sessions().stream().filter(session -> session.id() == id).forEach(listed::add);
      }
    } else {
      throw Arguments.SYNTAX_ERROR;
    }
    StringBuilder text = new StringBuilder();
    for (Session session : listed) {
      text.append(line(session));
    }
    context.reply().verbatim("txt", text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isNormalType(Args args, int index) {
    String type = args.text(index).toLowerCase(Locale.ROOT);
    return switch (type) {
      case "normal" -> true;
      case "slave", "replica", "master", "pubsub" -> false;
      default -> throw new DataException("ERR Unknown client type '" + args.text(index) + "'");
    };
  }

  private void kill(CommandContext context, Args args) {
    if (args.count() == 3) {
      String address = args.text(2);
      if (kill(context.session(), session -> session.address().equals(address)) == 0) {
        throw NO_SUCH_CLIENT;
      }
      context.reply().ok();
    } else {
      context.reply().integer(kill(context.session(), killFilter(context.session(), args)));
    }
  }

  private static Predicate<Session> killFilter(Session self, Args args) {
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
      } else if (args.is(i, "ADDR")) {
        filter = filter.and(session -> session.address().equals(value));
      } else if (args.is(i, "LADDR")) {
        filter = filter.and(session -> session.localAddress().equals(value));
      } else if (args.is(i, "TYPE")) {
        boolean isNormal = isNormalType(args, i + 1);
        filter = filter.and(session -> isNormal);
      } else if (args.is(i, "USER")) {
        if (!value.equals("default")) {
          throw new DataException("ERR No such user '" + value + "'");
        }
      } else if (args.is(i, "SKIPME") && (args.is(i + 1, "YES") || args.is(i + 1, "NO"))) {
        skipsSelf = args.is(i + 1, "YES");
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    return skipsSelf ? filter.and(session -> session != self) : filter;
  }

  private int kill(Session self, Predicate<Session> filter) {
    int killed = 0;
    for (Session session : clients.sessions()) {
      if (filter.test(session)) {
        killed++;
        if (session == self) {
          // It still gets this reply.
          session.close();
        } else {
          clients.kill(session);
        }
      }
    }
    return killed;
  }

  private void unblock(CommandContext context, Args args) {
    boolean isError = args.count() == 4 && args.is(3, "ERROR");
    if (args.count() > 4 || (args.count() == 4 && !isError && !args.is(3, "TIMEOUT"))) {
      throw UNBLOCK_REASON;
    }
    long id = Arguments.integer(args, 2);
    Session session = clients.session(id);
    Wait wait = session == null ? null : session.waiting();
    boolean isWaiting = wait != null && wait.release();
    if (session != null && wait != null && isWaiting) {
      session.connection().endWait(wait, isError ? UNBLOCKED : wait.onTimeout());
    }
    context.reply().integer(isWaiting ? 1 : 0);
  }

  private String line(Session session) {
    long nowMillis = clock.getAsLong();
    List<Session.Queued> queue = session.queue();
    StringBuilder line = new StringBuilder(256);
    line.append("id=").append(session.id());
    line.append(" addr=").append(session.address());
    line.append(" laddr=").append(session.localAddress());
    line.append(" fd=0 name=").append(session.name());
    line.append(" age=").append(Math.max(0, nowMillis - session.createdMillis()) / 1000);
    line.append(" idle=").append(Math.max(0, nowMillis - session.lastUsedMillis()) / 1000);
    line.append(" flags=").append(queue == null ? "N" : "x");
    line.append(" db=").append(session.database());
    line.append(" sub=0 psub=0 ssub=0 multi=").append(queue == null ? -1 : queue.size());
    line.append(" qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0");
    line.append(" tot-mem=0 events=r cmd=").append(session.lastCommandName());
    line.append(" user=default redir=-1 resp=").append(session.protocol());
    if (!session.libraryName().isEmpty() || !session.libraryVersion().isEmpty()) {
      line.append(" lib-name=").append(session.libraryName());
      line.append(" lib-ver=").append(session.libraryVersion());
    }
    return line.append('\n').toString();
  }
}
