package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.Clients;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

/** What the table of tracked reads keeps of a client that is gone. */
class TrackingMemoryTest {
  private static final int COLLECTIONS_MAX = 50;

  private final CommandTester tester =
      new CommandTester(
          (table, keyspace) -> ClientCommands.register(table, new Clients(), keyspace, () -> 0));

  @Test
  void theKeysThatAClientHasReadDoNotKeepItInMemory() {
    // The table is cleared with the last client that tracks: there is another.
    tester.run(tester.session(), "CLIENT", "TRACKING", "ON");
    WeakReference<Session> gone = readAndLeave();
    // The executor knows who came last.
    tester.run("GET", "key");
    for (int i = 0; i < COLLECTIONS_MAX && gone.get() != null; i++) {
      System.gc();
    }
    assertNull(gone.get());
    assertEquals(1, tester.keyspace.listeners().tracking().keyCount());
    tester.run("SET", "key", "value");
    assertEquals(0, tester.keyspace.listeners().tracking().keyCount());
    assertEquals(0, tester.keyspace.listeners().tracking().itemCount());
  }

  private WeakReference<Session> readAndLeave() {
    Session reader = tester.session();
    tester.run(reader, "CLIENT", "TRACKING", "ON");
    tester.run(reader, "GET", "key");
    tester.keyspace.forget(reader);
    return new WeakReference<>(reader);
  }
}
