package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The names and bytes of all files in a directory at one moment. */
record DirectoryImage(Path directory, Map<String, byte[]> files) {

  static DirectoryImage of(Path directory) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        files.put(
            entry.getFileName().toString(),
            Files.isDirectory(entry) ? new byte[0] : Files.readAllBytes(entry));
      }
    }
    return new DirectoryImage(directory, files);
  }

  /** The name of the one file, or the first of several, whose name matches. */
  String nameLike(String pattern) {
    return namesLike(pattern).stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + pattern + " in " + files.keySet()));
  }

  List<String> namesLike(String pattern) {
    return files.keySet().stream().filter(name -> name.matches(pattern)).toList();
  }

  /** Puts the same files into an empty directory. */
  void copyTo(Path target) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Files.write(target.resolve(file.getKey()), file.getValue());
    }
  }

  /** Fails unless the directory is still as it was. */
  void assertUntouched() throws IOException {
    Map<String, byte[]> now = of(directory).files;
    assertEquals(files.keySet(), now.keySet(), "files came or went");
    files.forEach(
        (name, bytes) -> assertEquals(0, Arrays.compare(bytes, now.get(name)), name + " changed"));
  }
}
