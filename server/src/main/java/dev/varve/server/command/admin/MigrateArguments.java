package dev.varve.server.command.admin;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What MIGRATE was asked to do. Immutable.
 *
 * @param port as the client wrote it
 * @param password null if the other server is not to be given any
 * @param user null if there is a password alone, or none
 */
record MigrateArguments(
    String host,
    String port,
    List<byte[]> keys,
    long database,
    long timeoutMillis,
    boolean copies,
    boolean replaces,
    byte @Nullable [] user,
    byte @Nullable [] password) {

  private static final long TIMEOUT_MILLIS_DEFAULT = 1000;
  private static final int KEY = 3;
  private static final int FIRST_OPTION = 6;
  private static final DataException KEY_AND_KEYS =
      new DataException(
          "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string");

  static MigrateArguments of(Args args) {
    boolean copies = false;
    boolean replaces = false;
    byte[] user = null;
    byte[] password = null;
    List<byte[]> keys = List.of(args.get(KEY));
    for (int i = FIRST_OPTION; i < args.count(); i++) {
      int more = args.count() - 1 - i;
      if (args.is(i, "COPY")) {
        copies = true;
      } else if (args.is(i, "REPLACE")) {
        replaces = true;
      } else if (args.is(i, "AUTH") && more >= 1) {
        password = args.get(++i);
      } else if (args.is(i, "AUTH2") && more >= 2) {
        user = args.get(++i);
        password = args.get(++i);
      } else if (args.is(i, "KEYS")) {
        if (args.get(KEY).length > 0) {
          throw KEY_AND_KEYS;
        }
        keys = from(args, i + 1);
        break;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    long timeoutMillis = Arguments.integer(args, 5);
    return new MigrateArguments(
        args.text(1),
        args.text(2),
        keys,
        Arguments.integer(args, 4),
        timeoutMillis > 0 ? timeoutMillis : TIMEOUT_MILLIS_DEFAULT,
        copies,
        replaces,
        user,
        password);
  }

  private static List<byte[]> from(Args args, int first) {
    List<byte[]> keys = new ArrayList<>(args.count() - first);
    for (int i = first; i < args.count(); i++) {
      keys.add(args.get(i));
    }
    return keys;
  }

  /** Where the keys are in a request, as {@link dev.varve.server.command.KeyFinder#find}. */
  static int[] keyPositions(Args args) {
    for (int i = FIRST_OPTION; i < args.count(); i++) {
      if (args.is(i, "AUTH")) {
        i++;
      } else if (args.is(i, "AUTH2")) {
        i += 2;
      } else if (args.is(i, "KEYS")) {
        return args.get(KEY).length > 0 ? new int[0] : positions(i + 1, args.count());
      }
    }
    return args.count() > KEY ? new int[] {KEY} : new int[0];
  }

  private static int[] positions(int from, int to) {
    int[] positions = new int[to - from];
    for (int i = from; i < to; i++) {
      positions[i - from] = i;
    }
    return positions;
  }
}
