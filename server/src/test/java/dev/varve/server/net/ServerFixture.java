package dev.varve.server.net;

import dev.varve.server.command.CommandTable;
import dev.varve.server.command.TestCommands;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import dev.varve.server.engine.InMemoryEngine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A server over an in-memory engine, on a free port, with a few test commands. */
public final class ServerFixture implements AutoCloseable {
  final InMemoryEngine engine = new InMemoryEngine();
  final Settings settings;
  final RespServer server;

  /** How far the server's clock is ahead. */
  final AtomicLong aheadMillis = new AtomicLong();

  /** How often SHUTDOWN would have ended the process. */
  final AtomicInteger shutdowns = new AtomicInteger();

  private final List<RawClient> clients = new ArrayList<>();

  /** With these parameters: name, value, name, value… */
  ServerFixture(String... parameters) throws IOException {
    settings = settings(parameters);
    server =
        RespServer.start(
            settings,
            engine,
            () -> System.currentTimeMillis() + aheadMillis.get(),
            new RespServer.Surroundings(
                TestCommands::register, shutdowns::incrementAndGet, "", "test"));
  }

  /** A free port, and these parameters: name, value, name, value… */
  public static Settings settings(String... parameters) {
    Settings settings = new Settings();
    try {
      settings.set(Parameters.PORT, "0");
      for (int i = 0; i < parameters.length; i += 2) {
        var parameter = Parameters.find(parameters[i]);
        if (parameter == null) {
          throw new AssertionError(parameters[i]);
        }
        settings.set(parameter, parameters[i + 1]);
      }
    } catch (ConfigException wrong) {
      throw new AssertionError(wrong);
    }
    return settings;
  }

  /** The commands of a server. */
  public static CommandTable table(RespServer server) {
    return server.table();
  }

  /** A new connection. */
  RawClient client() throws IOException {
    RawClient client = new RawClient(server.port());
    clients.add(client);
    return client;
  }

  @Override
  public void close() throws IOException {
    for (RawClient client : clients) {
      client.close();
    }
    server.stop();
  }
}
