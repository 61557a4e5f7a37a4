package dev.varve.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the operating system counts of a process, where it says so: otherwise nothing. */
final class ProcessStatus {
  private final Path directory;
  private final long residentBytesBefore;

  private ProcessStatus(Path directory) throws IOException {
    this.directory = directory;
    this.residentBytesBefore = residentBytes();
  }

  /** Remembers how it is now. */
  static ProcessStatus of(ServerProcess server) throws IOException {
    return new ProcessStatus(Path.of("/proc", Long.toString(server.pid())));
  }

  /** The bytes of memory that it holds. */
  long residentBytes() throws IOException {
    Path status = directory.resolve("status");
    if (Files.exists(status)) {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
        }
      }
    }
    return 0;
  }

  /** By how many bytes its memory has grown since this was made. */
  long grownBytes() throws IOException {
    return residentBytes() - residentBytesBefore;
  }

  /** How many files and sockets it has open. */
  int openFiles() throws IOException {
    Path descriptors = directory.resolve("fd");
    if (!Files.isDirectory(descriptors)) {
      return 0;
    }
    try (Stream<Path> open = Files.list(descriptors)) {
      return (int) open.count();
    }
  }

  /** Whether {@link #openFiles} can say anything here. */
  boolean knowsOpenFiles() {
    return Files.isDirectory(directory.resolve("fd"));
  }
}
