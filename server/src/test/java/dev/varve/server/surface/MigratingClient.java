package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A client that has all its keys moved from one server to another now and then, and goes on there;
 * a redis-server that keeps them does the same else.
 *
 * <p>Single-threaded.
 */
final class MigratingClient implements AutoCloseable {
  private static final int BATCH_MAX = 24;
  private static final int BATCHES_MAX = 4;
  private static final String MILLIS_MAX = "20000";

  private final WireClient keeps;
  private final List<Integer> ports;
  private final List<WireClient> servers = new ArrayList<>();
  private final OwnDatabases databases;
  private final SplittableRandom random;
  private final BatchReplies replies;
  private int at;

  /**
   * @param keeps where the redis-server listens
   * @param ports where those listen between which keys move; at the first of them they begin
   */
  MigratingClient(int keeps, List<Integer> ports, OwnDatabases databases, SplittableRandom random)
      throws IOException {
    this.keeps = new WireClient("redis", keeps);
    this.ports = ports;
    this.databases = databases;
    this.random = random;
    this.replies = new BatchReplies(its -> databases + ":" + FormRequests.shown(its));
    for (int port : ports) {
      servers.add(new WireClient("server " + servers.size(), port));
    }
  }

  /** Works, and has its keys moved, so many times. */
  void work(int moves) throws IOException {
    for (int i = 0; i < moves; i++) {
      carryOut(List.of(databases.select()));
      for (int k = random.nextInt(BATCHES_MAX); k >= 0; k--) {
        carryOut(FormRequests.batch(random, BATCH_MAX, this::add));
      }
      // What is watched is watched at the server where it was.
      carryOut(List.of(List.of("UNWATCH")));
      move();
    }
  }

  private void add(List<List<String>> batch) {
    databases.add(batch);
    // How a value is kept is not moved with it.
    batch.removeIf(request -> FormRequests.called(request).get(0).equals("OBJECT"));
  }

  private void carryOut(List<List<String>> batch) throws IOException {
    List<String> theirs = keeps.ask(batch);
    replies.compare(batch, WirePair.Both.ofReplies(theirs, servers.get(at).ask(batch)));
  }

  private void move() throws IOException {
    WireClient source = servers.get(at);
    int next = random.nextInt(servers.size() - 1);
    next += next < at ? 0 : 1;
    for (String database : databases.numbers()) {
      Copies.ask(source, "SELECT", database);
      List<String> request = new ArrayList<>();
      request.addAll(List.of("MIGRATE", "127.0.0.1", Integer.toString(ports.get(next)), ""));
      request.addAll(List.of(database, MILLIS_MAX, "KEYS"));
      int heads = request.size();
      for (String key : Replies.elements(Copies.ask(source, "KEYS", "*"))) {
        request.add(Replies.text(key));
      }
      if (request.size() > heads) {
        String moved = Copies.ask(source, request);
        if (!moved.equals("+OK\r\n") && !moved.equals("+NOKEY\r\n")) {
          throw new AssertionError(databases + " from " + source + " to " + next + ": " + moved);
        }
      }
      String rest = Copies.ask(source, "KEYS", "*");
      if (!rest.equals("*0\r\n")) {
        throw new AssertionError(databases + ", left behind at " + source + ": " + rest);
      }
    }
    at = next;
    String difference = databases.difference(keeps, databases.contents(servers.get(at)));
    if (difference != null) {
      throw new AssertionError(databases + " from " + source + " to " + at + ": " + difference);
    }
  }

  @Override
  public void close() throws IOException {
    keeps.close();
    for (WireClient server : servers) {
      server.close();
    }
  }
}
