package dev.varve.server.config;

import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of the Unix socket by which programs of the server's own machine may come. */
public final class UnixSocketParameters {
  private static final int PERMISSIONS_MAX = 0777;

  public static final Parameter PATH =
      Parameter.text("unixsocket", "", "file of a Unix socket to listen on too; empty: none")
          .checkedBy(PathRules::checkFile);
  public static final Parameter PERMISSIONS =
      Parameter.text(
              "unixsocketperm",
              "0",
              "octal permissions of that file; 0: as the process makes files")
          .mergedBy((before, change) -> permissions(change));

  /** All of them, in the order in which --help shows them. */
  static final List<Parameter> ALL = List.of(PATH, PERMISSIONS);

  private UnixSocketParameters() {}

  /** Where the socket is to be, from the root on, or null for nowhere. */
  public static @Nullable String path(Settings settings) {
    String path = settings.text(PATH);
    return path.isEmpty() ? null : Path.of(path).toAbsolutePath().normalize().toString();
  }

  /** What the file is to permit, or null for what is usual. */
  public static @Nullable Set<PosixFilePermission> permissions(Settings settings) {
    int bits = Integer.parseInt(settings.text(PERMISSIONS), 8);
    if (bits == 0) {
      return null;
    }
    Set<PosixFilePermission> granted = EnumSet.noneOf(PosixFilePermission.class);
    PosixFilePermission[] all = PosixFilePermission.values();
    for (PosixFilePermission each : all) {
      // The owner's right to read is the highest bit.
      if ((bits >> (all.length - 1 - each.ordinal()) & 1) == 1) {
        granted.add(each);
      }
    }
    return granted;
  }

  private static String permissions(String text) throws ConfigException {
    if (!text.matches("[0-7]{1,18}")) {
      throw new ConfigException("argument couldn't be parsed into an integer");
    }
    long bits = Long.parseLong(text, 8);
    if (bits > PERMISSIONS_MAX) {
      throw new ConfigException("argument must be between 0 and 777 inclusive");
    }
    return Long.toString(bits, 8);
  }
}
