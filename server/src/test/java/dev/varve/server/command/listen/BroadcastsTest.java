package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Message;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.Clients;
import dev.varve.server.command.session.ConnectionCommands;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that are told of all keys with a prefix. */
class BroadcastsTest {
  private final CommandTester tester =
      new CommandTester(
          (table, keyspace) -> {
            ClientCommands.register(table, new Clients(), keyspace, () -> 0);
            ConnectionCommands.register(table, keyspace);
          });

  private final Deque<Runnable> afterPass = new ArrayDeque<>();

  @BeforeEach
  void passesEndWhenTheTestSaysSo() {
    tester.keyspace.listeners().tracking().afterPass(afterPass::add);
  }

  /** A client that keeps what it is told. */
  private final class Caching extends NoConnection {
    private final Session session = tester.session();
    private final List<Message> told = new ArrayList<>();

    Caching(String... options) {
      session.connection(this);
      tester.run(session, "HELLO", "3");
      List<String> request = new ArrayList<>(List.of("CLIENT", "TRACKING", "ON", "BCAST"));
      request.addAll(List.of(options));
      tester.run(session, request.toArray(new String[0]));
    }

    @Override
    public void push(Message message) {
      told.add(message);
    }

    List<String> texts() {
      return told.stream().map(it -> new String(it.bytes(), StandardCharsets.US_ASCII)).toList();
    }
  }

  private void endPass() {
    while (!afterPass.isEmpty()) {
      afterPass.remove().run();
    }
  }

  private static String invalidated(String... keys) {
    StringBuilder text = new StringBuilder(">2\r\n$10\r\ninvalidate\r\n*" + keys.length + "\r\n");
    for (String key : keys) {
      text.append('$').append(key.length()).append("\r\n").append(key).append("\r\n");
    }
    return text.toString();
  }

  @Test
  void allWhoHearTheSameGetOneMessageForAllThatChangedInAPass() {
    List<Caching> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add(new Caching());
    }
    for (String key : List.of("b", "a", "c", "b")) {
      tester.run("SET", key, "1");
    }
    endPass();
    Caching first = many.get(0);
    assertEquals(List.of(invalidated("a", "b", "c")), first.texts());
    for (Caching each : many) {
      assertEquals(1, each.told.size());
      assertSame(first.told.get(0), each.told.get(0));
    }
    tester.run("DEL", "a");
    endPass();
    assertEquals(invalidated("a"), first.texts().get(1));
  }

  @Test
  void eachPrefixIsToldOfWhatBeginsWithIt() {
    Caching two = new Caching("PREFIX", "u:", "PREFIX", "i:");
    Caching one = new Caching("PREFIX", "u:");
    tester.run("MSET", "u:2", "1", "other", "1", "i:1", "1", "u:1", "1");
    endPass();
    assertEquals(List.of(invalidated("i:1"), invalidated("u:1", "u:2")), two.texts());
    assertSame(two.told.get(1), one.told.get(0));
    tester.run("SET", "other", "2");
    endPass();
    assertEquals(1, one.told.size());
  }

  @Test
  void whoWantsNotToHearOfItsOwnChangesIsToldOfThoseOfOthers() {
    Caching self = new Caching("NOLOOP");
    Caching other = new Caching();
    tester.run(self.session, "SET", "a", "1");
    tester.run(self.session, "SET", "b", "1");
    tester.run("SET", "b", "2");
    endPass();
    assertEquals(List.of(invalidated("b")), self.texts());
    assertEquals(List.of(invalidated("a", "b")), other.texts());
    tester.run(self.session, "SET", "a", "1");
    endPass();
    assertEquals(1, self.told.size());
  }

  @Test
  void whoLeavesBeforeTheEndOfAPassIsNotTold() {
    Caching leaves = new Caching();
    Caching stays = new Caching("PREFIX", "a");
    tester.run("SET", "a", "1");
    tester.keyspace.forget(leaves.session);
    endPass();
    assertEquals(List.of(), leaves.texts());
    assertEquals(List.of(invalidated("a")), stays.texts());
    assertEquals(1, tester.keyspace.listeners().tracking().prefixCount());
  }
}
