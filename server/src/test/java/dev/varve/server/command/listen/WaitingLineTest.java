package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.command.run.Role;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Very many clients that wait for one key: who is tried when it changes, and what each gets. */
class WaitingLineTest {
  private static final int MANY = 50;

  private final CommandTester tester = new CommandTester();
  private final BlockedClients blocked = tester.keyspace.listeners().blocked();
  private final RespEncoder reply = new RespEncoder();
  private final CommandExecutor executor = tester.executor(Role.WRITER, reply);
  private final List<String> told = new ArrayList<>();
  private int attempts;

  /** A client whose first request makes it wait. */
  private final class Waiting extends NoConnection {
    private final String name;
    private final Session session = tester.session();
    private final Args request;

    Waiting(String name, String... request) {
      this.name = name;
      this.request = Args.of(request);
      session.connection(this);
      assertEquals(Outcome.BLOCKED, executor.execute(session, this.request, false));
    }

    @Override
    public void resume() {
      attempts++;
      reply.clear(0);
      if (executor.execute(session, request, false) == Outcome.DONE) {
        told.add(name + new String(reply.toByteArray(), StandardCharsets.UTF_8));
      }
    }

    void leaves() {
      tester.keyspace.listeners().forgetWait(session);
    }
  }

  private void waiting(int count, String... request) {
    for (int i = 0; i < count; i++) {
      new Waiting(i + ":", request);
    }
  }

  /** Runs a request and serves; how many were tried for it. */
  private int triedFor(String... request) {
    attempts = 0;
    tester.run(request);
    blocked.serve(() -> {});
    return attempts;
  }

  private static String popped(String element) {
    return "*2\r\n$1\r\na\r\n$1\r\n" + element + "\r\n";
  }

  @Test
  void aPushTriesThoseThatItServesAndOneMore() {
    waiting(MANY, "BLPOP", "a", "0");
    assertEquals(2, triedFor("RPUSH", "a", "1"));
    assertEquals(3, triedFor("RPUSH", "a", "2", "3"));
    assertEquals(List.of("0:" + popped("1"), "1:" + popped("2"), "2:" + popped("3")), told);
    assertEquals(MANY - 3, blocked.count());
  }

  @Test
  void ofThoseWhoWantTheSameOneIsTriedInVain() {
    waiting(MANY, "BLPOP", "a", "0");
    new Waiting("z:", "BZPOPMIN", "a", "0");
    assertEquals(2, triedFor("SET", "a", "text"), "a list and a sorted set are wanted");
    tester.run("DEL", "a");
    assertEquals(2, triedFor("ZADD", "a", "1", "m"));
    assertEquals(1, told.size());
    assertEquals("z:", told.get(0).substring(0, 2));
    assertEquals(MANY, blocked.count());
  }

  @Test
  void ofThoseWhoReadForOneGroupOneIsTriedInVain() {
    tester.run("XGROUP", "CREATE", "a", "g", "$", "MKSTREAM");
    tester.run("XGROUP", "CREATE", "a", "h", "$");
    for (int i = 0; i < MANY; i++) {
      new Waiting(
          "g" + i + ":", "XREADGROUP", "GROUP", "g", "c" + i, "BLOCK", "0", "STREAMS", "a", ">");
    }
    new Waiting("h:", "XREADGROUP", "GROUP", "h", "c", "BLOCK", "0", "STREAMS", "a", ">");
    assertEquals(3, triedFor("XADD", "a", "1-1", "f", "v"));
    assertEquals(
        List.of("g0:", "h:"), told.stream().map(s -> s.replaceAll("(?s):.*", ":")).toList());
    told.clear();
    triedFor("XGROUP", "DESTROY", "a", "g");
    assertEquals(MANY - 1, told.size(), "each is told that its group is gone");
    assertEquals(0, blocked.count());
  }

  @Test
  void whoReadsBehindAnotherEntryIsTriedForItself() {
    tester.run("XADD", "a", "1-1", "f", "v");
    tester.run("XADD", "a", "2-1", "f", "v");
    waiting(MANY, "XREAD", "BLOCK", "0", "STREAMS", "a", "$");
    waiting(MANY, "XREAD", "BLOCK", "0", "STREAMS", "a", "5-1");
    assertEquals(2, triedFor("XDEL", "a", "1-1"));
    assertEquals(MANY + 1, triedFor("XADD", "a", "3-1", "f", "v"));
    assertEquals(MANY, told.size());
    assertEquals(MANY, blocked.count());
  }

  @Test
  void whoLeavesFromAnywhereInTheLineIsLeftOut() {
    List<Waiting> line = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      line.add(new Waiting(i + ":", "BLPOP", "a", "b", "a", "0"));
    }
    for (int leaving : new int[] {0, 3, 5, 2}) {
      line.get(leaving).leaves();
    }
    triedFor("RPUSH", "a", "x", "y", "z");
    assertEquals(List.of("1:" + popped("x"), "4:" + popped("y")), told);
    assertEquals(0, blocked.count());
    assertEquals(false, blocked.isListening(), "nothing is left of the lines");
  }

  @Test
  void whatOneIsServedFromAnotherKeyServesTheNext() {
    new Waiting("0:", "BLMOVE", "a", "b", "LEFT", "LEFT", "0");
    new Waiting("1:", "BLPOP", "b", "0");
    new Waiting("2:", "BLMOVE", "b", "b", "LEFT", "LEFT", "0");
    new Waiting("3:", "BLPOP", "b", "0");
    triedFor("RPUSH", "a", "1", "2");
    assertEquals(1, told.stream().filter(s -> s.startsWith("0:")).count());
    assertEquals("1:*2\r\n$1\r\nb\r\n$1\r\n1\r\n", told.get(1));
    triedFor("RPUSH", "b", "3");
    assertEquals(List.of("2:$1\r\n3\r\n", "3:*2\r\n$1\r\nb\r\n$1\r\n3\r\n"), told.subList(2, 4));
  }

  @Test
  void manyWhoAreServedAtOnceLeaveOthersTheirTurnAndKeepTheirs() {
    Deque<Runnable> later = new ArrayDeque<>();
    blocked.later(later::add);
    int many = 2 * BlockedClients.SERVED_MAX + 10;
    waiting(many, "BLPOP", "a", "0");
    String[] push = new String[many + 3];
    Arrays.fill(push, "x");
    push[0] = "RPUSH";
    push[1] = "a";
    tester.run(push);
    boolean[] isOver = new boolean[1];
    assertEquals(false, blocked.serve(() -> isOver[0] = true));
    assertEquals(BlockedClients.SERVED_MAX, told.size());
    Session other = tester.session();
    assertEquals(Outcome.BEHIND_WAITER, executor.execute(other, Args.of("LPOP", "a"), false));
    reply.clear(0);
    assertEquals(Outcome.DONE, executor.execute(other, Args.of("LLEN", "a"), false));
    int steps = 0;
    while (!later.isEmpty()) {
      later.remove().run();
      blocked.serve(() -> {});
      steps++;
    }
    assertEquals(2, steps);
    assertEquals(many, told.size());
    for (int i = 0; i < many; i++) {
      assertEquals(i + ":" + popped("x"), told.get(i));
    }
    assertEquals(true, isOver[0]);
    assertEquals(Outcome.DONE, executor.execute(other, Args.of("LPOP", "a"), false));
  }

  @Test
  void whoLeavesBeforeItsTurnLeavesItToTheNext() {
    Deque<Runnable> later = new ArrayDeque<>();
    blocked.later(later::add);
    List<Waiting> line = new ArrayList<>();
    for (int i = 0; i < BlockedClients.SERVED_MAX + 2; i++) {
      line.add(new Waiting(i + ":", "BLPOP", "a", "0"));
    }
    String[] push = new String[line.size() + 1];
    Arrays.fill(push, "x");
    push[0] = "RPUSH";
    push[1] = "a";
    tester.run(push);
    blocked.serve(() -> {});
    line.get(BlockedClients.SERVED_MAX).leaves();
    later.remove().run();
    blocked.serve(() -> {});
    assertEquals(BlockedClients.SERVED_MAX + 1, told.size());
    assertEquals(0, blocked.count());
  }
}
