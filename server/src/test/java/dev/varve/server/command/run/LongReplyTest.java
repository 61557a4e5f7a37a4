package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Session;
import dev.varve.server.command.TrackingState;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replies that would keep a loop from all others. */
class LongReplyTest {
  private static final int ELEMENTS = 10_000;
  private static final String ELEMENT = "e".repeat(900);

  private TreeTester tester;
  private Session client;

  @BeforeEach
  void open(@TempDir Path directory) throws IOException {
    tester = TreeTester.roomy(directory);
    client = tester.session();
    List<String> push = new ArrayList<>(List.of("RPUSH", "list"));
    push.addAll(Collections.nCopies(100, ELEMENT));
    for (int i = 0; i < ELEMENTS; i += 100) {
      run(push.toArray(new String[0]));
    }
  }

  @AfterEach
  void close() throws IOException {
    tester.close();
  }

  private String run(String... request) throws IOException {
    return tester.run(client, Args.of(request), Role.WRITER, 1);
  }

  @Test
  void nobodyMakesThemWhole() {
    Args all = Args.of("LRANGE", "list", "0", "-1");
    for (Role role : Role.values()) {
      assertEquals(new TreeTester.Attempt(Outcome.TO_STREAM, 0), tester.attempt(client, all, role));
      Args some = Args.of("LRANGE", "list", "0", "999");
      assertEquals(Outcome.DONE, tester.attempt(client, some, role).outcome());
    }
    List<String> pieces = tester.stream(client, all);
    assertTrue(pieces.size() > 10, () -> pieces.size() + " pieces");
    String bulk = "$" + ELEMENT.length() + "\r\n" + ELEMENT + "\r\n";
    assertEquals("*" + ELEMENTS + "\r\n" + bulk.repeat(ELEMENTS), String.join("", pieces));
  }

  @Test
  void theKeyspaceLoopMakesThoseThatNobodyElseCan() throws IOException {
    assertEquals("+OK\r\n", run("MULTI"));
    run("LPUSH", "list", "first");
    run("LRANGE", "list", "0", "-1");
    assertTrue(run("EXEC").length() > ELEMENTS * ELEMENT.length());
    client.tracking().begin(TrackingState.Mode.ALL_READS, 0, false);
    Args all = Args.of("LRANGE", "list", "0", "-1");
    assertEquals(Outcome.DONE, tester.attempt(client, all, Role.WRITER).outcome());
  }
}
