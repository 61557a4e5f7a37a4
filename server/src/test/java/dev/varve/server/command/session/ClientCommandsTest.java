package dev.varve.server.command.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientCommandsTest {
  private static final long NOW_MILLIS = 1_000_000;

  private final Clients clients = new Clients();
  private final CommandTester tester =
      new CommandTester(
          (table, keyspace) -> ClientCommands.register(table, clients, keyspace, () -> NOW_MILLIS));

  /** Redis says OK to it, and does not pause: its end is a time before now. */
  @Test
  void aPauseThatNoTimeEndsIsRefused() {
    for (String mode : List.of("WRITE", "ALL")) {
      assertEquals(
          "-ERR timeout is not an integer or out of range\r\n",
          tester.run("CLIENT", "PAUSE", Long.toString(Long.MAX_VALUE), mode));
    }
    long longestMillis = Long.MAX_VALUE - NOW_MILLIS;
    assertEquals("+OK\r\n", tester.run("CLIENT", "PAUSE", Long.toString(longestMillis)));
  }

  /** As Redis 7.4. */
  @Test
  void clientsAreClosedByTheirAge() {
    List<String> closed = new ArrayList<>();
    for (int seconds : new int[] {5, 10, 100}) {
      String name = "aged" + seconds;
      long createdMillis = NOW_MILLIS - 1000L * seconds;
      Session session = new Session(clients.nextId(), name, "?:0", createdMillis, true);
      clients.add(session, () -> closed.add(name), 10);
    }
    assertEquals(":0\r\n", tester.run("CLIENT", "KILL", "MAXAGE", "101"));
    assertEquals(":1\r\n", tester.run("CLIENT", "KILL", "MAXAGE", "10", "ADDR", "aged10"));
    assertEquals(List.of("aged10"), closed);
    assertEquals(":1\r\n", tester.run("CLIENT", "KILL", "maxage", "6"));
    assertEquals(List.of("aged10", "aged100"), closed);
    assertEquals(
        "-ERR maxage should be greater than 0\r\n", tester.run("CLIENT", "KILL", "MAXAGE", "0"));
    assertEquals(
        "-ERR maxage is not an integer or out of range\r\n",
        tester.run("CLIENT", "KILL", "MAXAGE", "a"));
  }
}
