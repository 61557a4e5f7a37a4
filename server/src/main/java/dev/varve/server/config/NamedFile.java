package dev.varve.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads the small files that a parameter names, as those of certificates. Each error says which
 * parameter and which file.
 *
 * <p>Functions of the files alone, for threads that may block.
 */
public final class NamedFile {
  /** Longer is none of them: the authorities of a whole system take a quarter of it. */
  private static final long BYTES_MAX = 1 << 20;

  /** More files than a directory of such has. */
  private static final int FILES_MAX = 4096;

  private NamedFile() {}

  /** All of a file. */
  public static byte[] read(Parameter parameter, String path) throws ConfigException {
    try {
      return read(Path.of(path));
    } catch (IOException failure) {
      throw wrong(parameter, path, FileProblem.what(failure));
    }
  }

  /** All of each file in a directory, in the order of their names. */
  public static List<byte[]> readAll(Parameter parameter, String directory) throws ConfigException {
    List<byte[]> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of(directory))) {
      for (Path file : files.filter(Files::isRegularFile).sorted().limit(FILES_MAX).toList()) {
        found.add(read(file));
      }
    } catch (IOException failure) {
      throw wrong(parameter, directory, FileProblem.what(failure));
    }
    return found;
  }

  private static byte[] read(Path path) throws IOException {
    if (Files.size(path) > BYTES_MAX) {
      throw new IOException("longer than " + BYTES_MAX + " bytes");
    }
    return Files.readAllBytes(path);
  }

  /** What is wrong with a file that a parameter names. */
  public static ConfigException wrong(Parameter parameter, String path, String what) {
    return new ConfigException(parameter.name() + ": '" + path + "': " + what);
  }
}
