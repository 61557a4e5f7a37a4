package dev.varve.perf.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.perf.Harness;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who interrupts the harness while a server starts leaves neither the server nor its files. */
@Timeout(60)
class InterruptedStartTest {
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** A server that never gets ready. */
  static final class NeverReady {
    public static void main(String[] args) throws InterruptedException {
      Thread.sleep(TimeUnit.NANOSECONDS.toMillis(MINUTE_NANOS));
    }
  }

  private static Path jarOfNeverReady(Path directory) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, NeverReady.class.getName());
    Path jar = directory.resolve("never-ready.jar");
    String name = NeverReady.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        InputStream code = NeverReady.class.getClassLoader().getResourceAsStream(name)) {
      out.putNextEntry(new JarEntry(name));
      code.transferTo(out);
    }
    return jar;
  }

  @Test
  void nothingIsLeftOfAStartThatIsInterrupted(@TempDir Path directory)
      throws IOException, InterruptedException {
    Path jar = jarOfNeverReady(directory);
    Path work = Files.createDirectory(directory.resolve("work"));
    Process harness =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Harness.class.getName(),
                "idle",
                "--heap-mib=16",
                "--jar=" + jar,
                "--dir=" + work)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    ProcessHandle server = null;
    try {
      while (server == null) {
        assertTrue(harness.isAlive());
        server = harness.children().findAny().orElse(null);
        Thread.sleep(20);
      }
      harness.destroy();
      harness.waitFor();

      assertFalse(server.isAlive());
      try (Stream<Path> left = Files.list(work)) {
        assertEquals(List.of(), left.toList());
      }
    } finally {
      harness.destroyForcibly();
      if (server != null) {
        server.destroyForcibly();
      }
    }
  }
}
