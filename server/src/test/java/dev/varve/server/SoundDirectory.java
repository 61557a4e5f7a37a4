package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.engine.DirectoryCheck;
import dev.varve.wal.RealStorageDirectory;
import java.io.IOException;
import java.nio.file.Path;

/** Asserts what {@code --check} says of a directory. */
public final class SoundDirectory {
  private SoundDirectory() {}

  /** A directory that no server has: no file is damaged, and all that is stored agrees. */
  public static void assertSound(Path path) throws IOException {
    try (RealStorageDirectory directory = RealStorageDirectory.open(path)) {
      DirectoryCheck.Findings findings = DirectoryCheck.run(directory, line -> {});
      assertTrue(findings.isSound(), () -> path + ": " + findings);
    }
  }
}
