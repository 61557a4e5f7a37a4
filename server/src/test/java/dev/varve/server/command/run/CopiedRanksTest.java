package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import dev.varve.wal.CrashableStorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a transaction has counted of a sorted set, and copies before it is written. */
class CopiedRanksTest {
  private static final int MEMBERS = 2_000;
  private static final int ADDED = 40;

  @Test
  void aCopyHasTheCountsOfWhatItsTransactionHasAdded() throws IOException {
    try (TreeTester tester =
        new TreeTester(
            new CrashableStorageDirectory(),
            new TreeTester.Sizes(1 << 20, 4096, 1 << 20, 1 << 20),
            PackedLimits.DEFAULT,
            1_000_000)) {
      Session client = tester.session();
      List<String> fill = new ArrayList<>(List.of("ZADD", "set"));
      for (int i = 0; i < MEMBERS; i++) {
        fill.addAll(List.of(Integer.toString(i), "m" + i));
      }
      run(tester, client, fill.toArray(String[]::new));
      for (int i = 0; i < 100; i++) {
        // From some time on what it counts is in memory.
        run(tester, client, "ZADD", "set", i % 2 == 0 ? "1000" : "0", "m0");
      }
      for (String target : List.of("COPY", "MOVE")) {
        String add =
            "for i = 1, " + ADDED + " do redis.call('ZADD', 'set', -i, '" + target + "' .. i) end ";
        String then =
            target.equals("COPY")
                ? "redis.call('COPY', 'set', 'copy')"
                : "redis.call('MOVE', 'set', 1)";
        run(tester, client, "EVAL", add + then, "0");
        int added = target.equals("COPY") ? ADDED : 2 * ADDED;
        String key = target.equals("COPY") ? "copy" : "set";
        if (target.equals("MOVE")) {
          run(tester, client, "SELECT", "1");
        }
        assertEquals(
            ":" + (1500 + added) + "\r\n", run(tester, client, "ZRANK", key, "m1500"), target);
      }
      tester.checkConsistent();
    }
  }

  private static String run(TreeTester tester, Session client, String... request)
      throws IOException {
    return tester.run(client, Args.of(request), Role.WRITER, 1);
  }
}
