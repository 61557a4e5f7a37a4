package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Bytes of files on disk. */
final class DiskUse {

  /** The sum of the lengths of all files below {@code directory}. */
  static long of(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    long sum = 0;
    for (Path file : files) {
      try {
        sum += Files.size(file);
      } catch (NoSuchFileException deletedMeanwhile) {
        continue;
      }
    }
    return sum;
  }

  /** Deletes a directory with all in it. */
  static void delete(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> walked = Files.walk(directory)) {
      all = walked.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }

  private DiskUse() {}
}
