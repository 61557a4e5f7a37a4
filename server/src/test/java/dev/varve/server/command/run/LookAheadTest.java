package dev.varve.server.command.run;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.varve.codec.Meta;
import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import dev.varve.server.engine.Engine;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LookAheadTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final PackedLimits ALL_SPREAD = new PackedLimits(1, 16, 1, 16, 1, 16, 1, 100);

  private final CommandTester tester = new CommandTester((table, keyspace) -> {}, ALL_SPREAD);
  private final LookAhead lookAhead = new LookAhead(tester.table, tester.keyspace);
  private final List<List<String>> looks = new ArrayList<>();

  @BeforeEach
  void listen() {
    tester.run("SADD", "set", "a", "b");
    tester.run("SADD", "other", "a", "b");
    tester.engine.onForeseen(keys -> looks.add(keys.stream().map(HEX::formatHex).toList()));
  }

  private record Client(Session session, Iterable<Object> requests, int count)
      implements Upcoming {}

  private Client client(String... requests) {
    return client(0, requests);
  }

  private Client client(int database, String... requests) {
    Session session = tester.session();
    session.database(database);
    List<Object> its = new ArrayList<>();
    for (String request : requests) {
      its.add(Args.of(request.split(" ")));
    }
    return new Client(session, its, its.size());
  }

  private String key(String name) {
    return key(0, name);
  }

  private String key(int database, String name) {
    int id = tester.keyspace.databases().id(database);
    return HEX.formatHex(KeyFormat.meta(id, bytes(name)));
  }

  private String member(String key, String name) {
    int id = tester.keyspace.databases().id(0);
    byte[] stored = requireNonNull(tester.engine.atHand(KeyFormat.meta(id, bytes(key))));
    CollectionKeys collection = requireNonNull(Meta.membersOf(stored, id, bytes(key)));
    return HEX.formatHex(collection.member(bytes(name)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void assertLooks(String... keys) {
    assertEquals(List.of(List.of(keys)), looks);
  }

  @Test
  void clientsOfOneRequestEachAreLookedAtTogether() {
    lookAhead.look(List.of(client("GET x"), client("SET y 1"), client("HGET z field")));
    assertLooks(key("x"), key("y"), key("z"));
  }

  @Test
  void membersOfOneSetAreFoundAlthoughDifferentClientsNameThem() {
    lookAhead.look(List.of(client("SADD set a"), client("SADD set c"), client("SREM set b")));
    assertLooks(key("set"), member("set", "c"), member("set", "b"));
  }

  @Test
  void anotherKeyBetweenBeginsAnew() {
    lookAhead.look(
        List.of(
            client("SADD set a", "SADD set b"),
            client("SADD other a"),
            client("SADD other b", "SADD set b")));
    assertLooks(key("set"), member("set", "b"), key("other"), member("other", "b"), key("set"));
  }

  @Test
  void oneNameInTwoDatabasesIsTwoKeys() {
    assertNotEquals(key(0, "set"), key(1, "set"));
    lookAhead.look(
        List.of(client(0, "SADD set a"), client(1, "SADD set b"), client(0, "SADD set b")));
    assertLooks(key(0, "set"), key(1, "set"), key(0, "set"));
  }

  @Test
  void aLookNamesNoMoreThanTheEngineTakes() {
    List<Client> many = new ArrayList<>();
    for (int i = 0; i < 3 * Engine.FORESEEN_MAX; i++) {
      many.add(client("GET " + i));
    }
    lookAhead.look(many);
    assertEquals(Engine.FORESEEN_MAX, looks.get(0).size());
    assertEquals(1, looks.size());

    looks.clear();
    String[] pipeline =
        Stream.iterate(0, i -> i + 1).limit(40).map(i -> "GET " + i).toArray(String[]::new);
    Client alone = client(pipeline);
    lookAhead.look(alone.session(), alone.requests());
    assertEquals(Engine.FORESEEN_MAX, looks.get(0).size());
  }

  @Test
  void whatIsNoRequestEndsTheLookAtThatClientOnly() {
    Client broken = client("GET x");
    List<Object> requests = new ArrayList<>();
    requests.add(new Object());
    broken.requests().forEach(requests::add);
    lookAhead.look(
        List.of(new Client(broken.session(), requests, 2), client("GET y"), client("GET z")));
    assertLooks(key("y"), key("z"));
  }

  @Test
  void oneKeyAloneIsNotWorthALook() {
    lookAhead.look(List.of(client("GET x")));
    lookAhead.look(List.of(client("PING", "NOSUCH a", "GET", "GET x")));
    lookAhead.look(Collections.<Client>emptyList());
    assertEquals(List.of(), looks);
  }

  @Test
  void membersOfWhatIsColdOrNoCollectionAreNotLookedAt() {
    tester.run("SET", "text", "1");
    lookAhead.look(List.of(client("SADD text a", "SADD text b", "GET x")));
    assertLooks(key("text"), key("x"));

    looks.clear();
    tester.engine.makeCold();
    lookAhead.look(List.of(client("SADD set a", "SADD set b", "GET x")));
    assertLooks(key("set"), key("x"));
  }
}
