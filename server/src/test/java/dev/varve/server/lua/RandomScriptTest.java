package dev.varve.server.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.RedisOracle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random programs print what they print in redis-server. */
class RandomScriptTest {
  private static final int PROGRAMS = Integer.getInteger("varve.script.programs", 400);

  @TempDir Path directory;

  @Test
  void randomProgramsGiveWhatRedisGives() throws IOException, InterruptedException {
    long first = Long.getLong("varve.seed", new Random().nextLong() >>> 8);
    try (RedisOracle oracle = RedisOracle.start(directory)) {
      for (long seed = first; seed < first + PROGRAMS; seed++) {
        String program = new RandomScripts(seed).script();
        String wanted = oracle.run("EVAL", program, "0");
        String got = new ScriptTester().eval(program);
        long its = seed;
        assertEquals(wanted, got, () -> "seed " + its + "\n" + program);
      }
    }
  }
}
