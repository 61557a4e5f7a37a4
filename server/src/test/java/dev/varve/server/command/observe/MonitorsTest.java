package dev.varve.server.command.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Message;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What clients see that look on. */
class MonitorsTest {
  private static final String TIME = "^\\+\\d+\\.\\d{6} ";
  private static final String FROM = "[0 127.0.0.1:1] ";

  private final CommandTester tester = new CommandTester();
  private final Monitors monitors = tester.keyspace.activity().monitors();
  private final Deque<Runnable> afterPass = new ArrayDeque<>();

  @BeforeEach
  void passesEndWhenTheTestSaysSo() {
    monitors.afterPass(afterPass::add);
  }

  private void endPass() {
    while (!afterPass.isEmpty()) {
      afterPass.remove().run();
    }
  }

  private final class Looking extends NoConnection {
    private final Session session = tester.session();
    private final List<Message> seen = new ArrayList<>();

    Looking() {
      session.connection(this);
      monitors.add(session);
    }

    @Override
    public void send(Message message) {
      seen.add(message);
    }

    /** Without the times. */
    List<String> lines() {
      List<String> lines = new ArrayList<>();
      for (Message message : seen) {
        String text = new String(message.bytes(), StandardCharsets.ISO_8859_1);
        for (String line : text.split("\r\n", -1)) {
          if (!line.isEmpty()) {
            lines.add(line.replaceFirst(TIME, ""));
          }
        }
      }
      return lines;
    }
  }

  @Test
  void theLinesOfAPassAreOneMessageForAll() {
    Looking one = new Looking();
    Looking other = new Looking();
    tester.run("SET", "a", "1");
    tester.run("GET", "a");
    endPass();
    assertEquals(List.of(FROM + "\"SET\" \"a\" \"1\"", FROM + "\"GET\" \"a\""), one.lines());
    assertEquals(1, one.seen.size());
    assertSame(one.seen.get(0), other.seen.get(0));
    tester.run("DEL", "a");
    endPass();
    assertEquals(FROM + "\"DEL\" \"a\"", one.lines().get(2));
  }

  @Test
  void whoComesLaterSeesNothingOfWhatWasBefore() {
    Looking early = new Looking();
    tester.run("GET", "before");
    Looking late = new Looking();
    tester.run("GET", "after");
    endPass();
    assertEquals(2, early.lines().size());
    assertEquals(List.of(FROM + "\"GET\" \"after\""), late.lines());
    monitors.remove(late.session);
    tester.run("GET", "later");
    endPass();
    assertEquals(1, late.lines().size());
  }

  @Test
  void longLinesDoNotWaitForTheEndOfThePass() {
    Looking looking = new Looking();
    tester.run("SET", "a", "x".repeat(100_000));
    assertEquals(1, looking.lines().size());
    endPass();
    assertEquals(1, looking.lines().size());
  }

  @Test
  void whatCannotBePrintedIsEscaped() {
    Looking looking = new Looking();
    byte[] bytes = {'a', '"', '\\', '\n', '\r', '\t', 7, '\b', 0, 31, 127, (byte) 0xfe, 'z'};
    tester.run(
        tester.client(),
        new Args(new byte[][] {"GET".getBytes(StandardCharsets.US_ASCII), bytes}, 2));
    endPass();
    assertEquals(
        List.of(FROM + "\"GET\" \"a\\\"\\\\\\n\\r\\t\\a\\b\\x00\\x1f\\x7f\\xfez\""),
        looking.lines());
  }
}
