package dev.varve.server.command.data;

import dev.varve.server.command.Comparison;
import dev.varve.server.command.RedisOracle;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a trim may be inexact it removes the very entries that redis-server 7.0 does. */
class StreamNodesDifferentialTest {
  @TempDir private Path directory;

  @Test
  void aNodeEndsBeforeTheEntryThatWouldMakeItTooLarge() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      both.same("a long entry", "XADD", "s", "1-1", "field", "x".repeat(3_000));
      both.same("too long for the same node", "XADD", "s", "2-1", "field", "x".repeat(2_000));
      both.same("a node of one entry", "XTRIM", "s", "MAXLEN", "~", "1");
      both.same("what is left", "XRANGE", "s", "-", "+");
    }
  }

  /** What is asked of a stream of the entries 1-1, 2-1, 3-1 and 20-1, one request a line. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "XDEL 20-1,XTRIM MINID ~ 9-16,XTRIM MINID ~ 9-16 LIMIT 10,XTRIM MINID ~ 20-1,XTRIM MINID ~ 20-2",
        "XDEL 20-1,XADD MINID ~ 9 30-1 a b,XTRIM MINID ~ 30-1,XTRIM MINID ~ 30-2",
        "XDEL 3-1 20-1,XTRIM MINID ~ 9,XTRIM MINID ~ 21",
        "XDEL 20-1 3-1,XTRIM MINID ~ 9,XTRIM MINID ~ 21",
        "XDEL 20-1 1-1,XTRIM MINID ~ 9,XDEL 2-1,XTRIM MINID ~ 9,XTRIM MINID ~ 21",
        "XDEL 20-1 1-1 2-1 3-1,XADD 21-1 a b,XTRIM MINID ~ 21,XTRIM MINID ~ 22",
        "XDEL 20-1,XSETID 4,XADD 5-1 a b,XTRIM MINID ~ 9",
        "XDEL 20-1,XADD 21-1 a b,XDEL 21-1,XTRIM MINID ~ 21,XTRIM MINID ~ 22",
        "XDEL 20-1,XTRIM MINID = 2,XTRIM MINID ~ 9,XTRIM MAXLEN ~ 0",
        "XDEL 20-1,XTRIM MINID 9,XADD 21-1 a b,XTRIM MINID ~ 21,XTRIM MINID ~ 22",
      })
  void anInexactTrimGoesByTheLastIdOfANodeAlsoWhenThatIsDeleted(String requests) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      for (String id : List.of("1-1", "2-1", "3-1", "20-1")) {
        both.same("fill", "XADD", "s", id, "a", "b");
      }
      for (String request : requests.split(",", -1)) {
        both.same(requests, request.replaceFirst(" ", " s ").split(" ", -1));
        both.same(requests, "XRANGE", "s", "-", "+");
      }
    }
  }

  @Test
  void aNodeThatAnExactTrimEmptiesTakesTheNextEntries() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      for (int i = 1; i <= 99; i++) {
        both.same("fill", "XADD", "s", i + "-1", "a", "b");
      }
      both.same("the last one", "XDEL", "s", "99-1");
      both.same("all others", "XTRIM", "s", "MINID", "=", "99-0");
      for (int i = 100; i <= 104; i++) {
        both.same("more", "XADD", "s", i + "-1", "a", "b");
      }
      both.same("a node of one entry and those deleted", "XTRIM", "s", "MAXLEN", "~", "1");
      both.same("what is left", "XRANGE", "s", "-", "+");
    }
  }

  @Test
  void aCopyOfANodeReachesAsFar() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      Comparison both = new Comparison(redis);
      both.same("fill", "XADD", "s", "1-1", "a", "b");
      both.same("fill", "XADD", "s", "20-1", "a", "b");
      both.same("the last one", "XDEL", "s", "20-1");
      both.same("copy", "COPY", "s", "copy");
      both.same("rename", "RENAME", "s", "renamed");
      for (String key : List.of("copy", "renamed")) {
        both.same(key, "XTRIM", key, "MINID", "~", "9");
        both.same(key, "XTRIM", key, "MINID", "~", "21");
      }
    }
  }
}
