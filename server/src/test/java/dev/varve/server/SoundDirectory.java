package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.engine.DirectoryCheck;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;

/** Asserts what {@code --check} says of a directory. */
public final class SoundDirectory {
  private SoundDirectory() {}

  /** A directory that no server has: no file is damaged, and all that is stored agrees. */
  public static void assertSound(Path path) throws IOException {
    assertSound(RealStorageDirectory.open(path));
  }

  /** The same, which is closed then. */
  public static void assertSound(StorageDirectory its) throws IOException {
    try (StorageDirectory directory = its) {
      DirectoryCheck.Findings findings = DirectoryCheck.run(directory, line -> {});
      assertTrue(findings.isSound(), () -> directory.path() + ": " + findings);
    }
  }
}
