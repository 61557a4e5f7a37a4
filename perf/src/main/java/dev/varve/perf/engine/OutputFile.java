package dev.varve.perf.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Takes the name of a file for results from the command line, and refuses one that cannot be
 * written: that would be found out behind the run. Stateless.
 */
public final class OutputFile implements ITypeConverter<Path> {

  /** For picocli. */
  public OutputFile() {}

  @Override
  public Path convert(String text) {
    Path file = Path.of(text);
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent) || Files.isDirectory(file)) {
      throw new TypeConversionException("no file can be at " + file);
    }
    return file;
  }
}
