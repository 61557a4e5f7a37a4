package dev.varve.server.command;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.admin.CommandGroups;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.command.run.Role;
import dev.varve.server.command.session.Clients;
import dev.varve.server.engine.InMemoryEngine;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;

/**
 * A whole server without sockets, for tests of commands: an executor as the keyspace loop has it, a
 * client, an in-memory engine and a clock.
 *
 * <p>{@code assertEquals("+OK\r\n", tester.run("SET", "key", "value"))}
 */
public final class CommandTester {
  public final InMemoryEngine engine;
  public final Keyspace keyspace;
  public final CommandTable table = new CommandTable();
  public final Clients clients = new Clients();
  public long nowMillis = 1_700_000_000_000L;
  private final RespEncoder reply = new RespEncoder();
  private final CommandExecutor executor;
  private final Session session = session();

  /** With the groups that need no server around them, and what {@code more} registers. */
  public CommandTester(BiConsumer<CommandTable, Keyspace> more) {
    this(more, PackedLimits.DEFAULT);
  }

  /** As the other one, with other limits for what is kept in one piece. */
  public CommandTester(BiConsumer<CommandTable, Keyspace> more, PackedLimits limits) {
    this(new InMemoryEngine(), more, limits);
  }

  private CommandTester(
      InMemoryEngine engine, BiConsumer<CommandTable, Keyspace> more, PackedLimits limits) {
    this.engine = engine;
    keyspace = new Keyspace(engine, 16, limits, nowMillis);
    CommandGroups.register(table, keyspace);
    more.accept(table, keyspace);
    executor =
        new CommandExecutor(
            Role.WRITER, table, keyspace, reply, () -> nowMillis, () -> Long.MAX_VALUE);
  }

  public CommandTester() {
    this((table, keyspace) -> {});
  }

  /** Another server on what this one has stored, as after a restart. */
  public CommandTester reopened() {
    return new CommandTester(engine, (table, keyspace) -> {}, PackedLimits.DEFAULT);
  }

  /** A further client. */
  public Session session() {
    return new Session(clients.nextId(), "127.0.0.1:1", "127.0.0.1:6379", nowMillis, true);
  }

  /** An executor in another role. */
  public CommandExecutor executor(Role role, RespEncoder itsReply) {
    return new CommandExecutor(
        role, table, keyspace, itsReply, () -> nowMillis, () -> Long.MAX_VALUE);
  }

  /** The client that {@link #run(String...)} stands for. */
  public Session client() {
    return session;
  }

  /** The reply to a request, as it goes over the wire. */
  public String run(String... parts) {
    return run(session, Args.of(parts));
  }

  /** The reply to a request of another client. */
  public String run(Session client, String... parts) {
    return run(client, Args.of(parts));
  }

  /** The reply to a request with any bytes in it, as ISO 8859-1. */
  public String run(Session client, Args args) {
    reply.clear(0);
    Outcome outcome = executor.execute(client, args, false);
    if (outcome != Outcome.DONE) {
      throw new AssertionError(args + " ended as " + outcome);
    }
    try {
      keyspace.publish(keyspace.commit(true));
    } catch (java.io.IOException failure) {
      throw new AssertionError(failure);
    }
    return new String(reply.toByteArray(), StandardCharsets.ISO_8859_1);
  }
}
