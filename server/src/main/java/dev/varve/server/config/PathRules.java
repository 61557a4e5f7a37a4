package dev.varve.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** What a parameter accepts that names a file or a directory. */
final class PathRules {
  private PathRules() {}

  /** Nothing would be the working directory, which nobody meant. */
  static void checkNamed(String directory) throws ConfigException {
    if (directory.isEmpty()) {
      throw new ConfigException("must name a directory");
    }
  }

  /** From the root on: it is the same wherever it is read. */
  static Path wholePath(String directory) throws ConfigException {
    return checkDirectory(directory).toAbsolutePath();
  }

  /** As Redis shows it: that, and without links as far as it is there. */
  static String realPath(String directory) throws ConfigException {
    try {
      Path path = wholePath(directory).normalize();
      return (Files.exists(path) ? path.toRealPath() : path).toString();
    } catch (IOException failure) {
      throw new ConfigException(FileProblem.describe(failure));
    }
  }

  static Path checkDirectory(String directory) throws ConfigException {
    return path(directory, "a directory");
  }

  static void checkFile(String file) throws ConfigException {
    path(file, "a file");
  }

  private static Path path(String text, String kind) throws ConfigException {
    try {
      return Path.of(text);
    } catch (InvalidPathException wrong) {
      throw new ConfigException("must be the name of " + kind + ": " + FileProblem.what(wrong));
    }
  }
}
