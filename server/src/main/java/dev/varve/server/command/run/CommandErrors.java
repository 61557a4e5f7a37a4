package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.codec.store.WriteTooLargeException;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTable;
import dev.varve.server.engine.WriteFailure;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.ReplyTooLargeException;
import dev.varve.server.script.ScriptDroppedException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redis's texts for requests that are no command, and for transactions that are refused whole. */
final class CommandErrors {
  private static final Logger LOG = LoggerFactory.getLogger(CommandErrors.class);

  private CommandErrors() {}

  /** For a request whose command, or whose subcommand, is not in {@code table}. */
  static byte[] unknown(CommandTable table, Args args) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    Command container = table.find(args.get(0));
    if (container != null) {
      put(text, "ERR unknown subcommand '");
      put(text, args.get(1), Arguments.QUOTED_BYTES_MAX);
      put(text, "'. Try " + container.name().toUpperCase(Locale.ROOT) + " HELP.");
      return text.toByteArray();
    }
    put(text, "ERR unknown command '");
    put(text, args.get(0), Arguments.QUOTED_BYTES_MAX);
    put(text, "', with args beginning with: ");
    int begin = text.size();
    for (int i = 1; i < args.count() && text.size() - begin < Arguments.QUOTED_BYTES_MAX; i++) {
      int room = Arguments.QUOTED_BYTES_MAX - (text.size() - begin);
      put(text, "'");
      put(text, args.get(i), room);
      put(text, "' ");
    }
    return text.toByteArray();
  }

  /** For EXEC, when it cannot even begin. */
  static String execAborted(DataException reason) {
    String error = reason.error();
    String what = error.startsWith("ERR ") ? error.substring(4) : error;
    return "EXECABORT Transaction discarded because of: " + what;
  }

  /** For a command that ended as it never should; it is logged. */
  static String failed(Command command, Throwable failure) {
    if (failure instanceof ReplyTooLargeException || failure instanceof WriteTooLargeException) {
      return "ERR " + failure.getMessage();
    }
    if (failure instanceof ScriptDroppedException) {
      return "ERR the server stops";
    }
    if (failure instanceof WriteFailure refused) {
      LOG.error("{} failed: {}", command, refused.getMessage());
      return refused.error();
    }
    if (failure instanceof ReadFailure) {
      LOG.error("{} failed: {}", command, failure.getMessage());
      return "ERR " + failure.getMessage();
    }
    if (failure instanceof OutOfMemoryError) {
      // Where that was says little, and the next may be in need of what it takes to tell.
      LOG.error("{} failed: {}", command, failure.toString());
      return "ERR out of memory: there is no room for what " + command + " needs";
    }
    LOG.error("{} failed", command, failure);
    return "ERR internal error in " + command + ": " + failure;
  }

  /** Whether it says nothing of the command: the same one may end otherwise elsewhere. */
  static boolean mayPass(Throwable failure) {
    return failure instanceof ReadFailure
        || failure instanceof WriteFailure
        || failure instanceof WriteTooLargeException
        || failure instanceof OutOfMemoryError;
  }

  private static void put(ByteArrayOutputStream text, String part) {
    text.writeBytes(part.getBytes(StandardCharsets.US_ASCII));
  }

  /** As C prints a string: up to a zero byte. */
  private static void put(ByteArrayOutputStream text, byte[] part, int bytesMax) {
    int length = 0;
    while (length < part.length && length < bytesMax && part[length] != 0) {
      length++;
    }
    text.write(part, 0, length);
  }
}
