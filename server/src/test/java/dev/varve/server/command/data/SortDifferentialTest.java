package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Comparison;
import dev.varve.server.command.KeyFinder;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.resp.Args;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SORT and SORT_RO give the very replies of redis-server 7.0. */
class SortDifferentialTest {

  /** One request a line, parts separated by spaces; "" is an empty part. */
  private static final String REQUESTS =
      """
      SET text x
      HSET hash f v
      SORT none
      SORT none STORE d
      SORT text
      SORT hash
      SORT_RO text
      SORT text FOO
      RPUSH l 3 1 10 2 -5 2.5 1e1
      SORT l
      SORT l DESC
      SORT l DESC ASC
      SORT l ALPHA
      SORT l ALPHA DESC
      SORT l LIMIT 1 3
      SORT l LIMIT 0 0
      SORT l LIMIT -5 2
      SORT l LIMIT 2 -1
      SORT l LIMIT 100 5
      SORT l LIMIT 5 9223372036854775807
      SORT l LIMIT a 1
      SORT l LIMIT 1 a
      SORT l LIMIT 1
      SORT l BY
      SORT l GET
      SORT l STORE
      SORT l FOO
      SORT l BY nosort
      SORT l BY nosort DESC
      SORT l BY nosort LIMIT 1 2
      SORT l BY nosort LIMIT 1 2 DESC
      SORT l BY nosort LIMIT 5 20 DESC
      SORT l BY nosort LIMIT 100 20 DESC
      SORT_RO l
      SORT_RO l DESC LIMIT 0 2
      SORT_RO l STORE d
      RPUSH words b a c "" B 10
      SORT words
      SORT words ALPHA
      SORT words ALPHA DESC
      RPUSH blank "" 1 -1
      SORT blank
      RPUSH odd inf -inf 0x10 +3 .5
      SORT odd
      RPUSH odd nan
      SORT odd
      RPUSH zeros 4 \0 5\0x 3
      SORT zeros
      SADD ids 1 2 3 4
      MSET weight_1 30 weight_2 10 weight_3 20 name_1 one name_2 two name_3 three
      HSET object_1 weight 5 name first
      HSET object_2 weight 4 name second
      HSET object_3 weight 6
      SORT ids
      SORT ids BY weight_*
      SORT ids BY weight_* DESC
      SORT ids BY weight_* LIMIT 1 2
      SORT ids BY name_*
      SORT ids BY name_* ALPHA
      SORT ids BY name_* ALPHA DESC
      SORT ids BY object_*->weight
      SORT ids BY object_*->weight DESC GET object_*->name
      SORT ids BY object_*->none
      SORT ids BY object_*
      SORT ids BY weight_*->field
      SORT ids BY text*
      SORT ids GET name_*
      SORT ids GET # GET name_* GET weight_* GET none GET object_*->name
      SORT ids GET object_*-> DESC
      SORT ids GET object_* DESC
      SORT ids BY weight_* GET name_* LIMIT 0 2
      SORT_RO ids BY weight_* GET # GET name_*
      SORT ids BY weight_* STORE d
      LRANGE d 0 -1
      TYPE d
      SORT ids GET name_* STORE d
      LRANGE d 0 -1
      SORT ids BY nosort STORE d
      LRANGE d 0 -1
      SORT ids BY nosort DESC STORE d
      LRANGE d 0 -1
      SET expiring x EXAT 4102444800
      SORT ids STORE expiring
      TTL expiring
      SORT none STORE d
      EXISTS d
      SORT ids LIMIT 0 0 STORE expiring
      EXISTS expiring
      SORT words STORE words
      SORT words ALPHA STORE words
      LRANGE words 0 -1
      SORT l STORE l STORE other
      LRANGE other 0 -1
      ZADD z 3 a 1 b 2 c 7 d
      SORT z
      SORT z ALPHA
      SORT z BY nosort
      SORT z BY nosort DESC
      SORT z BY nosort LIMIT 1 2
      SORT z BY nosort DESC LIMIT 1 2
      SORT z BY nosort LIMIT 1 100 STORE d
      LRANGE d 0 -1
      SORT z ALPHA DESC LIMIT 2 9 GET #
      """;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyRequestOfTheListGetsTheSameReply(int protocol) throws Exception {
    Comparison.sameLines(directory, protocol, REQUESTS);
  }

  @Test
  void randomRequestsGetTheSameReplies() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (int seed = 0; seed < 8; seed++) {
        Comparison comparison = new Comparison(redis);
        SplittableRandom random = new SplittableRandom(seed);
        int size = seed % 2 == 0 ? 20 : 300;
        for (int i = 0; i < size; i++) {
          String element = Integer.toString(random.nextInt(10 * size));
          String score = Integer.toString(random.nextInt(size));
          comparison.same("start", "RPUSH", "list", element);
          comparison.same("start", "SADD", "set", element);
          comparison.same("start", "ZADD", "zset", score, element);
          if (random.nextInt(4) > 0) {
            comparison.same("start", "SET", "w" + element, score + "." + element);
          }
          comparison.same("start", "HSET", "h" + element, "w", element + "." + score, "n", score);
        }
        for (int step = 0; step < 60; step++) {
          String[] request = request(random, size);
          String where = "seed " + seed + " step " + step + ": " + String.join(" ", request);
          comparison.same(where, request);
          comparison.same(where, "LRANGE", "result", "0", "-1");
        }
      }
    }
  }

  private static String[] request(SplittableRandom random, int size) {
    List<String> request = new ArrayList<>();
    request.add("SORT");
    request.add(List.of("list", "set", "zset").get(random.nextInt(3)));
    boolean isSet = request.get(1).equals("set");
    boolean stores = random.nextInt(4) == 0;
    switch (random.nextInt(5)) {
      case 0 -> request.addAll(List.of("BY", "w*"));
      case 1 -> request.addAll(List.of("BY", "h*->w"));
      // What an unsorted set looks like is nobody's promise.
      case 2 -> request.addAll(isSet && !stores ? List.of() : List.of("BY", "nosort"));
      // Missing weights are equal to the alphabet, and then any order will do.
      case 3 -> request.addAll(List.of("BY", "h*->w", "ALPHA"));
      default -> request.addAll(random.nextBoolean() ? List.of("ALPHA") : List.of());
    }
    if (random.nextBoolean()) {
      request.add(random.nextBoolean() ? "DESC" : "asc");
    }
    if (random.nextBoolean()) {
      String offset = Integer.toString(random.nextInt(-2, size + 2));
      request.addAll(List.of("LIMIT", offset, Integer.toString(random.nextInt(-2, size))));
    }
    if (random.nextInt(3) == 0) {
      request.addAll(List.of("GET", "#", "GET", "w*", "GET", "h*->n"));
    }
    if (stores) {
      request.addAll(List.of("STORE", "result"));
    }
    return request.toArray(String[]::new);
  }

  @Test
  void keysAreTheSourceAndTheTarget() {
    Command sort = command("sort");
    assertKeys(sort, "1", "sort", "a");
    assertKeys(sort, "1 3", "sort", "a", "store", "b");
    assertKeys(sort, "1 7", "sort", "a", "BY", "store", "store", "x", "STORE", "b");
    assertKeys(sort, "1", "sort", "a", "GET", "store");
  }

  private static Command command(String name) {
    Command found = new CommandTester().table.find(Args.of(name).get(0));
    if (found == null) {
      throw new AssertionError(name);
    }
    return found;
  }

  private static void assertKeys(Command command, String expected, String... request) {
    KeyFinder finder = command.keyFinder();
    StringBuilder found = new StringBuilder();
    for (int index : finder == null ? new int[0] : finder.find(Args.of(request))) {
      found.append(found.isEmpty() ? "" : " ").append(index);
    }
    assertEquals(expected, found.toString());
  }
}
