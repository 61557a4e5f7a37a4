package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.command.Wait;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.command.run.Role;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is served, and who waits for that, where every attempt takes as long as the test likes. */
class BlockedClientsTest {
  private final CommandTester tester = new CommandTester();
  private final BlockedClients blocked = tester.keyspace.listeners().blocked();
  private final CommandExecutor executor = tester.executor(Role.WRITER, new RespEncoder());
  private final Session later = tester.session();

  /** A client that waits, and needs the disk to be served. */
  private final class Waiting extends NoConnection {
    private final Session session = tester.session();
    private int attempts;

    Waiting(String key) {
      session.connection(this);
      List<byte[]> keys = List.of(key.getBytes(StandardCharsets.US_ASCII));
      Wait wait =
          new Wait(session, keys, Wait.FOREVER, RespEncoder::nullArray, (its, any) -> false);
      session.waiting(wait);
      blocked.add(wait);
    }

    /** It is gone, and nothing was taken. */
    void leaves() {
      tester.keyspace.listeners().forgetWait(session);
    }

    @Override
    public void resume() {
      attempts++;
    }
  }

  private Outcome pops() {
    return executor.execute(later, Args.of("LPOP", "a"), false);
  }

  @Test
  void nobodyTakesWhatIsTheNextOnesWhenTheFirstIsGone() {
    Waiting first = new Waiting("a");
    Waiting second = new Waiting("a");
    tester.run("RPUSH", "a", "1");
    blocked.serve(() -> {});
    assertEquals(1, first.attempts);
    assertEquals(Outcome.BEHIND_WAITER, pops());
    boolean[] isOver = new boolean[1];
    blocked.await(() -> isOver[0] = true);
    first.leaves();
    assertEquals(Outcome.BEHIND_WAITER, pops(), "before the second one's turn");
    blocked.serve(() -> {});
    assertEquals(1, second.attempts);
    assertEquals(Outcome.BEHIND_WAITER, pops());
    assertFalse(isOver[0]);
    second.leaves();
    assertTrue(isOver[0]);
    assertEquals(Outcome.DONE, pops());
  }
}
