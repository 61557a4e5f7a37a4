package dev.varve.server.command.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.Clients;
import dev.varve.server.command.session.ConnectionCommands;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many clients may have long names, each for as long as it is connected. */
class ClientNamesTest {
  private static final String FULL =
      "-ERR names of clients and of their libraries take more than a 16th of the heap\r\n";
  private static final String LONG = "n".repeat(64 * 1024);

  private final CommandTester tester =
      new CommandTester(
          (table, keyspace) -> {
            ConnectionCommands.register(table, keyspace);
            ClientCommands.register(table, new Clients(), keyspace, () -> 0);
          });

  private String name(Session session) {
    return tester.run(session, "client", "setname", LONG);
  }

  private List<Session> fill() {
    List<Session> named = new ArrayList<>();
    Session session = tester.session();
    while (name(session).equals("+OK\r\n")) {
      named.add(session);
      session = tester.session();
    }
    return named;
  }

  @Test
  void namesTakeAPartOfTheHeapAndAreRefusedBeyond() {
    long lengthMax = Runtime.getRuntime().maxMemory() / ClientNames.HEAP_PART;
    List<Session> named = fill();
    assertTrue(named.size() * (long) LONG.length() <= lengthMax);
    assertEquals(lengthMax / LONG.length(), named.size());
    Session another = tester.session();
    assertEquals(FULL, name(another));
    assertEquals(FULL, tester.run(another, "client", "setinfo", "LIB-NAME", LONG));
    assertEquals(FULL, tester.run(another, "client", "setinfo", "lib-ver", LONG));
    assertEquals(FULL, tester.run(another, "hello", "2", "setname", LONG));
    assertEquals("", another.name() + another.libraryName() + another.libraryVersion());
    assertEquals(
        "+OK\r\n", tester.run(another, "client", "setname", "n".repeat(ClientNames.SHORT)));
    // Who has a long one may have another.
    assertEquals("+OK\r\n", name(named.get(0)));
  }

  @Test
  void whoIsGoneOrHasAnotherNameMakesRoom() {
    List<Session> named = fill();
    Session another = tester.session();
    tester.keyspace.forget(named.get(0));
    assertEquals("+OK\r\n", name(another));
    assertEquals(FULL, name(tester.session()));
    assertEquals("+RESET\r\n", tester.run(another, "reset"));
    assertEquals("+OK\r\n", name(named.get(0)));
    assertEquals("+OK\r\n", tester.run(named.get(1), "client", "setname", ""));
    assertEquals("+OK\r\n", tester.run(another, "client", "setinfo", "lib-name", LONG));
    assertEquals(FULL, name(tester.session()));
  }
}
