package dev.varve.server.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The files that {@code include} means: one, or those whose names match a pattern, as glob(7) has
 * it, in the order of their names; as in Redis there may be none.
 *
 * <p>Functions of the files alone, for threads that may block.
 */
final class IncludedFiles {
  private static final Pattern WILDCARDS = Pattern.compile("[*?\\[]");

  /** What only the JDK's patterns have. */
  private static final Pattern BRACES = Pattern.compile("[{}]");

  private IncludedFiles() {}

  /**
   * @throws ConfigException where the directory cannot be read, or is a pattern itself
   */
  static List<String> of(String included) throws ConfigException {
    if (!WILDCARDS.matcher(included).find()) {
      return List.of(included);
    }
    int slash = included.lastIndexOf('/');
    String directory = included.substring(0, slash + 1);
    if (WILDCARDS.matcher(directory).find()) {
      throw wrong(included, "only the names of files may be a pattern, not those of directories");
    }
    try {
      return matching(directory, included.substring(slash + 1));
    } catch (IOException failure) {
      throw wrong(included, FileProblem.what(failure));
    } catch (DirectoryIteratorException failure) {
      throw wrong(included, String.valueOf(failure.getMessage()));
    } catch (PatternSyntaxException noPattern) {
      throw wrong(included, "no pattern: " + noPattern.getDescription());
    } catch (InvalidPathException impossible) {
      throw wrong(included, FileProblem.what(impossible));
    }
  }

  private static List<String> matching(String directory, String pattern) throws IOException {
    Path path = Path.of(directory);
    if (!Files.exists(path)) {
      return List.of();
    }
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(path, BRACES.matcher(pattern).replaceAll("\\\\$0"))) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        // An editor's, say.
        if (!name.startsWith(".") || pattern.startsWith(".")) {
          found.add(directory + name);
        }
      }
    }
    Collections.sort(found);
    return found;
  }

  private static ConfigException wrong(String included, String why) {
    return new ConfigException("cannot read configuration files '" + included + "': " + why);
  }
}
