package dev.varve.codec;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GlobTest {

  private static boolean matches(String pattern, String text) {
    return new Glob(bytes(pattern)).matches(bytes(text));
  }

  @Test
  void patternsMatchAsInRedis() {
    assertTrue(matches("", ""));
    assertFalse(matches("", "a"));
    assertFalse(matches("*", ""));
    assertTrue(matches("a*", "a"));
    assertTrue(matches("*a**", "a"));
    assertTrue(matches("a*c", "abbc"));
    assertTrue(matches("a*b*c", "a-b-b-c"));
    assertFalse(matches("a*b*c", "a-c-b"));
    assertTrue(matches("h?llo", "hello"));
    assertFalse(matches("h?llo", "hllo"));
    assertTrue(matches("h[ae]llo", "hallo"));
    assertFalse(matches("h[^e]llo", "hello"));
    assertTrue(matches("h[a-c]llo", "hbllo"));
    assertTrue(matches("h[c-a]llo", "hbllo"));
    assertTrue(matches("[\\]]", "]"));
    assertTrue(matches("\\*", "*"));
    assertFalse(matches("\\*", "a"));
    assertTrue(matches("a\\", "a\\"));
    assertTrue(matches("[ab", "b"));
    assertTrue(matches("**a**", "bab"));
    assertTrue(new Glob(bytes("MAX[A-C]*"), true).matches(bytes("maxbar")));
    assertFalse(new Glob(bytes("MAX*")).matches(bytes("max")));
  }

  @Test
  void timeIsBoundedForPatternsOfManyStars() {
    assertFalse(matches("*a".repeat(50) + "b", "a".repeat(5_000)));
  }

  @Test
  void moreStarsThanRedisFollowsMatchNothing() {
    String text = "a".repeat(50_000);
    assertTrue(matches("*?".repeat(Glob.STARS_MAX), text));
    assertTrue(matches("*?".repeat(Glob.STARS_MAX) + "*", text));
    assertFalse(matches("*?".repeat(Glob.STARS_MAX + 1), text));
    assertFalse(matches("*?".repeat(50_000), text));
    assertTrue(matches("*".repeat(50_000) + "a", text));
  }

  @Test
  void literalPrefixIsWhatEveryMatchStartsWith() {
    assertEquals("user:", Keyspace.text(new Glob(bytes("user:*")).literalPrefix()));
    assertEquals("a*b", Keyspace.text(new Glob(bytes("a\\*b?")).literalPrefix()));
    assertEquals("", Keyspace.text(new Glob(bytes("U*"), true).literalPrefix()));
  }
}
