package dev.varve.perf;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** Who interrupts the harness leaves neither servers nor files behind. */
@Timeout(60)
class InterruptedHarnessTest {
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

  /** Interrupts a run as soon as it has a server, or a directory. */
  private static void interrupted(Path directory, String... options)
      throws IOException, InterruptedException {
    Path work = Files.createDirectory(directory.resolve("work"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // What the tree has to be let into.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(each -> each.startsWith("--add-"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Harness.class.getName()));
    command.addAll(List.of(options));
    command.add("--dir=" + work);
    Process harness =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    boolean hasServer = !options[0].equals("engine");
    List<ProcessHandle> servers = List.of();
    try {
      while (hasServer ? servers.isEmpty() : left(work).isEmpty()) {
        assertTrue(harness.isAlive());
        servers = harness.children().toList();
        Thread.sleep(20);
      }
      harness.destroy();
      harness.waitFor();

      assertFalse(servers.stream().anyMatch(ProcessHandle::isAlive));
      // Whoever runs a soak wants to see what it was interrupted in.
      assertTrue(left(work).stream().allMatch(each -> each.startsWith("varve-soak-")));
    } finally {
      harness.destroyForcibly();
      servers.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static List<String> left(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(each -> each.getFileName().toString()).toList();
    }
  }

  @Test
  void nothingIsLeftOfAStartThatIsInterrupted(@TempDir Path directory)
      throws IOException, InterruptedException {
    interrupted(directory, "idle", "--heap-mib=16", "--jar=" + jarOfNeverReady(directory));
  }

  @Test
  void noServerIsLeftOfASoakThatIsInterrupted(@TempDir Path directory)
      throws IOException, InterruptedException {
    interrupted(directory, "soak", "--jar=" + jarOfNeverReady(directory));
  }

  @Test
  void noFileIsLeftOfEnginesThatAreInterrupted(@TempDir Path directory)
      throws IOException, InterruptedException {
    interrupted(directory, "engine", "--n=10000000");
  }
}
