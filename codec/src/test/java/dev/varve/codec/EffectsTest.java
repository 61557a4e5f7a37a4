package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EffectsTest {
  private final Effects effects = new Effects();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static List<byte[]> request(String... words) {
    List<byte[]> request = new ArrayList<>();
    for (String word : words) {
      request.add(bytes(word));
    }
    return request;
  }

  private static List<String> all(Effects its) {
    List<String> all = new ArrayList<>();
    for (Effects.Effect effect : its.all()) {
      StringBuilder text = new StringBuilder().append(effect.database());
      effect
          .words()
          .forEach(word -> text.append(' ').append(new String(word, StandardCharsets.ISO_8859_1)));
      all.add(text.toString());
    }
    return all;
  }

  @Test
  void aCommandThatHasWrittenIsItsOwnEffect() {
    effects.begin();
    effects.end(2, request("SET", "a", "1"), true);
    effects.begin();
    effects.end(2, request("SETNX", "a", "1"), false);
    assertEquals(List.of("2 SET a 1"), all(effects));
  }

  @Test
  void whatItSaysStandsInItsPlace() {
    effects.begin();
    effects.instead(0, "SREM", bytes("s"), 7);
    effects.instead(0, "DEL", bytes("t"));
    effects.end(0, request("SPOP", "s"), true);
    effects.begin();
    effects.insteadNothing();
    effects.end(0, request("XCLAIM"), true);
    effects.begin();
    effects.end(0, request("SET", "a", "1"), true);
    assertEquals(List.of("0 SREM s 7", "0 DEL t", "0 SET a 1"), all(effects));
  }

  @Test
  void whatHasExpiredIsDeletedTogether() {
    effects.begin();
    effects.deleted(1, bytes("a"));
    effects.deleted(1, bytes("b"));
    effects.deleted(2, bytes("c"));
    effects.deleted(-1, bytes("of no database"));
    effects.end(1, request("INCR", "a"), true);
    effects.deleted(1, bytes("d"));
    effects.fieldsDeleted(1, bytes("h"), request("f", "g"));
    effects.deleted(1, bytes("e"));
    assertEquals(
        List.of("1 DEL a b", "2 DEL c", "1 INCR a", "1 DEL d", "1 HDEL h f g", "1 DEL e"),
        all(effects));
  }

  @Test
  void requestsHaveAnEnd() {
    List<byte[]> members = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      members.add(bytes("m" + i));
      effects.deleted(0, bytes("k" + i));
    }
    effects.insteadOfMembers(0, members, "SREM", bytes("s"));
    List<Integer> sizes = new ArrayList<>();
    effects.all().forEach(effect -> sizes.add(effect.words().size()));
    assertEquals(List.of(1001, 1001, 501, 1002, 1002, 502), sizes);
  }

  @Test
  void whereNobodyAsksNothingIsKept() {
    assertFalse(Effects.NONE.areWanted());
    Effects.NONE.begin();
    Effects.NONE.instead(0, "SET", bytes("a"), 1);
    Effects.NONE.insteadOfMembers(0, request("a"), "SREM", "s");
    Effects.NONE.deleted(0, bytes("a"));
    Effects.NONE.fieldsDeleted(0, bytes("a"), request("f"));
    assertEquals(List.of(), Effects.NONE.all());
  }
}
