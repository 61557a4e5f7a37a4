package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries that are no longer in force, or never were, leave the heap. */
class LibraryMemoryTest {
  /** Of a mebibyte each: more than the heap of these tests has. */
  private static final int TIMES = 700;

  private static final String CODE =
      "#!lua name=lib\nlocal text = '%s'\nredis.register_function('f', function() return #text end)";

  @TempDir private Path path;

  @Test
  void whatIsReplacedOrRefusedIsNotKept() throws Exception {
    RespServer varve = SurfaceDifferentialTest.varve(path, SurfaceDifferentialTest.IN_MEMORY_BYTES);
    try (WireClient client = new WireClient("varve", varve.port())) {
      String code = CODE.formatted("x".repeat(1 << 20));
      for (int i = 0; i < TIMES; i++) {
        assertEquals("$3\r\nlib\r\n", Copies.ask(client, "FUNCTION", "LOAD", "REPLACE", code));
      }
      String dump = Copies.ask(client, "FUNCTION", "DUMP");
      String payload = dump.substring(dump.indexOf('\n') + 1, dump.length() - 2);
      for (int i = 0; i < TIMES; i++) {
        String refusal = Copies.ask(client, "FUNCTION", "RESTORE", payload);
        assertTrue(refusal.startsWith("-ERR Library lib already exists"), refusal);
      }
      assertEquals(":1048576\r\n", Copies.ask(client, "FCALL", "f", "0"));
      List<List<String>> thrownAway =
          List.of(
              List.of("MULTI"),
              List.of("FUNCTION", "DELETE", "lib"),
              List.of("FUNCTION", "LOAD", code),
              List.of("DISCARD"));
      client.ask(thrownAway);
      assertEquals(":1048576\r\n", Copies.ask(client, "FCALL", "f", "0"));
    } finally {
      varve.stop();
    }
  }
}
