package dev.varve.server.command.observe;

import dev.varve.server.command.Command;
import dev.varve.server.resp.Args;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/** What MONITOR and SLOWLOG show of a request: all but the secrets in it. */
final class Redaction {
  private static final byte[] HIDDEN = "(redacted)".getBytes(StandardCharsets.US_ASCII);
  private static final Set<String> SECRET_PARAMETERS =
      Set.of("requirepass", "masterauth", "masteruser", "tls-key-file-pass");

  private Redaction() {}

  /** The parts of the request; the arrays are not to be changed. */
  static byte[][] shown(Command command, Args args) {
    byte[][] parts = new byte[args.count()][];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = args.get(i);
    }
    switch (command.fullName()) {
      case "auth" -> hide(parts, 1, parts.length);
      case "hello" -> {
        for (int i = 2; i < parts.length; i++) {
          if (args.is(i, "AUTH")) {
            hide(parts, i + 1, i + 3);
          }
        }
      }
      case "migrate" -> {
        for (int i = 6; i < parts.length && !args.is(i, "KEYS"); i++) {
          if (args.is(i, "AUTH")) {
            hide(parts, i + 1, ++i + 1);
          } else if (args.is(i, "AUTH2")) {
            hide(parts, i + 1, i + 3);
            i += 2;
          }
        }
      }
      case "config|set" -> {
        for (int i = 2; i < parts.length; i += 2) {
          if (SECRET_PARAMETERS.contains(args.text(i).toLowerCase(Locale.ROOT))) {
            hide(parts, i + 1, i + 2);
          }
        }
      }
      case "acl|setuser" -> hide(parts, 2, parts.length);
      default -> {}
    }
    return parts;
  }

  private static void hide(byte[][] parts, int from, int to) {
    for (int i = from; i < to && i < parts.length; i++) {
      parts[i] = HIDDEN;
    }
  }
}
