package dev.varve.server.net;

import dev.varve.lsm.TreeOptions;
import dev.varve.server.engine.TreeEngine;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A server on a tree, with clients. The engine in memory of {@link ServerFixture} tells nobody what
 * is read and written, and cannot lend that.
 */
final class TreeServer implements Closeable {
  private final RespServer server;
  private final List<RawClient> clients = new ArrayList<>();

  /**
   * @param settings names and values
   */
  TreeServer(Path directory, String... settings) throws IOException {
    this(directory, TreeOptions.builder(), settings);
  }

  TreeServer(Path directory, TreeOptions.Builder options, String... settings) throws IOException {
    this(RealStorageDirectory.open(directory), options, settings);
  }

  TreeServer(StorageDirectory directory, TreeOptions.Builder options, String... settings)
      throws IOException {
    TreeEngine engine = TreeEngine.open(directory, options, new OffHeap(), 16);
    server =
        RespServer.start(
            ServerFixture.settings(settings),
            engine,
            System::currentTimeMillis,
            new RespServer.Surroundings(table -> {}, () -> {}, "", "test"));
  }

  RespServer server() {
    return server;
  }

  /** A new client, closed with the server. */
  RawClient client() throws IOException {
    RawClient client = new RawClient(server.port());
    clients.add(client);
    return client;
  }

  @Override
  public void close() throws IOException {
    server.stop();
    for (RawClient client : clients) {
      client.close();
    }
  }
}
