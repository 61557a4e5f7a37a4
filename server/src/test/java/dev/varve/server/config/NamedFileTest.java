package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of users, or of parameters, as it is replaced. */
class NamedFileTest {
  private static final int WRITERS = 4;
  private static final int TIMES = 50;

  @TempDir private Path directory;

  /** Two operators may say CONFIG REWRITE, or ACL SAVE, at the same time. */
  @Test
  void whoReplaceItAtTheSameTimeLeaveWhatOneOfThemHasWritten() throws Exception {
    Path file = Files.writeString(directory.resolve("users.acl"), content(0));
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        byte[] its = content(i).getBytes(StandardCharsets.UTF_8);
        all.add(
            writers.submit(
                () -> {
                  for (int n = 0; n < TIMES; n++) {
                    NamedFile.replace(file.toString(), its);
                    String now = Files.readString(file);
                    assertEquals(content(Character.digit(now.charAt(0), 10)), now);
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      writers.shutdownNow();
    }
    assertTrue(Files.exists(file));
    assertFalse(Files.exists(directory.resolve("users.acl.rewrite")));
  }

  private static String content(int writer) {
    return Integer.toString(writer).repeat(1000 * (writer + 1));
  }
}
