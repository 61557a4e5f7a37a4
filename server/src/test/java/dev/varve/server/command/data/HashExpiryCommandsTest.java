package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Replies;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The replies that Redis documents for fields of hashes that expire. */
class HashExpiryCommandsTest {
  private final CommandTester tester = new CommandTester();

  private String run(String request) {
    String reply = tester.run(request.split(" "));
    if (reply.startsWith("*")) {
      return String.join(
          " ",
          Replies.elements(reply).stream()
              .map(
                  one ->
                      one.startsWith("$-")
                          ? "nil"
                          : one.startsWith("$") ? Replies.text(one) : one.substring(1).strip())
              .toList());
    }
    return reply.strip();
  }

  @Test
  void fieldsExpireAtTheirMomentForEveryCommand() {
    run("HSET h a 1 b 2 c 3 d 4");
    assertEquals("1 1 -2", run("HPEXPIRE h 100 FIELDS 3 a b none"));
    assertEquals("1", run("HPEXPIRE h 200 FIELDS 1 c"));
    assertEquals("100 100 200 -1 -2", run("HPTTL h FIELDS 5 a b c d none"));
    assertEquals("1 -1", run("HTTL h FIELDS 2 a d"));
    tester.nowMillis += 99;
    assertEquals(":4", run("HLEN h"));
    tester.nowMillis += 1;
    assertEquals(":2", run("HLEN h"));
    assertEquals("nil 3 4", run("HMGET h a c d"));
    assertEquals(4, run("HGETALL h").split(" ").length);
    assertEquals(":0", run("HEXISTS h a"));
    assertEquals("-2 100", run("HPTTL h FIELDS 2 a c"));
    assertEquals(":1", run("HSET h a new"));
    assertEquals("-1", run("HTTL h FIELDS 1 a"));
    tester.nowMillis += 100;
    assertEquals(":2", run("HLEN h"));
    run("HDEL h a");
    assertEquals("1", run("HEXPIRE h 1 FIELDS 1 d"));
    tester.nowMillis += 1000;
    assertEquals(":0", run("EXISTS h"));
    assertEquals("+none", run("TYPE h"));
    assertEquals("-2", run("HTTL h FIELDS 1 d"));
    assertEquals(":1", run("HSET h d again"));
  }

  @Test
  void conditionsAreThoseOfExpire() {
    run("HSET h a 1 b 2");
    assertEquals("0", run("HEXPIRE h 10 XX FIELDS 1 a"));
    assertEquals("1", run("HEXPIRE h 10 NX FIELDS 1 a"));
    assertEquals("0 1", run("HEXPIRE h 10 NX FIELDS 2 a b"));
    assertEquals("0", run("HEXPIRE h 5 GT FIELDS 1 a"));
    assertEquals("1", run("HEXPIRE h 5 LT FIELDS 1 a"));
    assertEquals("1", run("HEXPIRE h 20 GT FIELDS 1 a"));
    assertEquals("1 -2", run("HPERSIST h FIELDS 2 a none"));
    assertEquals("-1", run("HPERSIST h FIELDS 1 a"));
    assertEquals("0", run("HEXPIRE h 20 GT FIELDS 1 a"));
    assertEquals("1", run("HEXPIRE h 20 LT FIELDS 1 a"));
  }

  @Test
  void momentsInThePastDeleteAtOnce() {
    run("HSET h a 1 b 2");
    assertEquals("2 -2", run("HEXPIRE h 0 FIELDS 2 a none"));
    assertEquals("2", run("HPEXPIREAT h 1 FIELDS 1 b"));
    assertEquals(":0", run("EXISTS h"));
    assertEquals("-2 -2", run("HEXPIRE h 10 FIELDS 2 a b"));
  }

  @Test
  void absoluteMomentsAreTold() {
    run("HSET h a 1");
    assertEquals("1", run("HEXPIREAT h 4102444800 FIELDS 1 a"));
    assertEquals("4102444800", run("HEXPIRETIME h FIELDS 1 a"));
    assertEquals("4102444800000", run("HPEXPIRETIME h FIELDS 1 a"));
    assertEquals(":5", run("HINCRBY h a 4"));
    assertEquals("4102444800", run("HEXPIRETIME h FIELDS 1 a"));
    run("HSET h a 1");
    assertEquals("-1", run("HEXPIRETIME h FIELDS 1 a"));
  }

  @Test
  void valuesAreGotWithAnExpiryOrADeletion() {
    run("HSET h a 1 b 2 c 3");
    assertEquals("1 nil", run("HGETEX h EX 10 FIELDS 2 a none"));
    assertEquals("10", run("HTTL h FIELDS 1 a"));
    assertEquals("1", run("HGETEX h FIELDS 1 a"));
    assertEquals("1", run("HGETEX h PERSIST FIELDS 1 a"));
    assertEquals("-1", run("HTTL h FIELDS 1 a"));
    assertEquals("1 nil 2", run("HGETDEL h FIELDS 3 a none b"));
    assertEquals(":1", run("HLEN h"));
    assertEquals("3", run("HGETDEL h FIELDS 1 c"));
    assertEquals(":0", run("EXISTS h"));
    assertEquals("nil", run("HGETDEL h FIELDS 1 c"));
  }

  @Test
  void fieldsAreSetWithAnExpiry() {
    assertEquals(":1", run("HSETEX h EX 10 FIELDS 2 a 1 b 2"));
    assertEquals("10 10", run("HTTL h FIELDS 2 a b"));
    assertEquals(":0", run("HSETEX h FNX FIELDS 2 a 9 c 9"));
    assertEquals(":1", run("HSETEX h FXX KEEPTTL FIELDS 1 a 9"));
    assertEquals("10", run("HTTL h FIELDS 1 a"));
    assertEquals(":0", run("HSETEX h FXX FIELDS 2 a 9 c 9"));
    assertEquals(":1", run("HSETEX h FIELDS 1 a 7"));
    assertEquals("-1", run("HTTL h FIELDS 1 a"));
    assertEquals("7 2", run("HMGET h a b"));
  }

  @Test
  void mistakesAreTold() {
    run("SET text x");
    run("HSET h a 1");
    assertEquals(
        "-WRONGTYPE Operation against a key holding the wrong kind of value",
        run("HEXPIRE text 10 FIELDS 1 a"));
    assertEquals(
        "-ERR wrong number of arguments for 'hexpire' command", run("HEXPIRE h 10 FIELDS 1"));
    assertEquals(
        "-ERR Mandatory argument FIELDS is missing or not at the right position",
        run("HEXPIRE h 10 FOO 1 a"));
    assertEquals(
        "-ERR The `numfields` parameter must match the number of arguments",
        run("HEXPIRE h 10 FIELDS 2 a"));
    assertEquals(
        "-ERR Parameter `numFields` should be greater than 0", run("HEXPIRE h 10 FIELDS 0 a"));
    assertEquals("-ERR invalid expire time, must be >= 0", run("HEXPIRE h -1 FIELDS 1 a"));
    assertEquals(
        "-ERR invalid expire time in 'hexpire' command",
        run("HEXPIRE h 9223372036854775 FIELDS 1 a"));
    assertEquals("-ERR value is not an integer or out of range", run("HEXPIRE h abc FIELDS 1 a"));
  }

  @Test
  void whatHasExpiredIsGoneWhereverTheHashGoes() {
    run("HSET h a 1 b 2");
    run("HPEXPIRE h 50 FIELDS 1 a");
    run("COPY h copy");
    run("RENAME h moved");
    assertEquals("50 -1", run("HPTTL copy FIELDS 2 a b"));
    assertEquals("50 -1", run("HPTTL moved FIELDS 2 a b"));
    tester.nowMillis += 50;
    for (String key : List.of("copy", "moved")) {
      assertEquals("b 2", run("HGETALL " + key));
      assertEquals("b", run("HRANDFIELD " + key + " 5"));
      assertEquals("-2", run("HPTTL " + key + " FIELDS 1 a"));
    }
  }
}
