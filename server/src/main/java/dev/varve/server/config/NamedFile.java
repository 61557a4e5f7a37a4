package dev.varve.server.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and replaces the small files that a parameter names, as those of certificates and users.
 * Where that is a parameter's error it says which parameter and which file.
 *
 * <p>Functions of the files alone, for threads that may block.
 */
public final class NamedFile {
  /** The authorities of a whole system take a quarter of a mebibyte, ten thousand users two. */
  private static final long BYTES_MAX = 16 << 20;

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

  /** The same of a file that is named by its path from here. */
  public static void replace(String path, byte[] content) throws IOException {
    replace(Path.of(path), ByteBuffer.wrap(content));
  }

  /**
   * Puts {@code bytes} in the place of a file, once they are on disk. They may be read by those who
   * might read it, since there may be a password in them.
   *
   * @throws IOException and the file is as it was
   */
  static synchronized void replace(Path file, ByteBuffer bytes) throws IOException {
    // One at a time: two who write the same draft would put what is half of each into its place.
    Path draft = file.resolveSibling(file.getFileName() + ".rewrite");
    try {
      try (FileChannel out =
          FileChannel.open(
              draft,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        if (Files.exists(file)) {
          takeAccess(file, draft);
        }
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
        out.force(true);
      }
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      syncDirectory(file.toAbsolutePath().getParent());
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** A rename survives power loss only then. */
  private static void syncDirectory(@Nullable Path directory) throws IOException {
    if (directory == null) {
      return;
    }
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Lets the draft, which is still empty, have the owner and the permissions of the file. */
  private static void takeAccess(Path file, Path draft) throws IOException {
    PosixFileAttributeView its = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    PosixFileAttributeView taken = Files.getFileAttributeView(draft, PosixFileAttributeView.class);
    if (its == null || taken == null) {
      return;
    }
    PosixFileAttributes access = its.readAttributes();
    try {
      taken.setGroup(access.group());
      taken.setOwner(access.owner());
    } catch (IOException notRoot) {
      // Who may not give files away owns it, and can read it.
    }
    taken.setPermissions(access.permissions());
  }

  /** What is wrong with a file that a parameter names. */
  public static ConfigException wrong(Parameter parameter, String path, String what) {
    return new ConfigException(parameter.name() + ": '" + path + "': " + what);
  }
}
