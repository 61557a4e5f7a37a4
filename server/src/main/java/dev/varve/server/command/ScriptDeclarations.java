package dev.varve.server.command;

import dev.varve.codec.DataException;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the script or function that a command calls has declared of itself.
 *
 * <p>Any thread.
 */
final class ScriptDeclarations {
  private final Keyspace keyspace;

  ScriptDeclarations(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  /** Whether a command calls what has declared that it writes nothing. */
  boolean isReadOnly(Command command, Args args) {
    return switch (command.name()) {
      case "eval" -> isReadOnly(args.get(1));
      case "evalsha" ->
          isReadOnly(keyspace.scripts().source(args.text(1).toLowerCase(Locale.ROOT)));
      case "fcall" -> {
        FunctionLibraries.Found found =
            keyspace.libraries().function(LuaString.wrap(args.get(1)).toString());
        yield found != null && found.function().flags().contains(ScriptFlag.NO_WRITES);
      }
      default -> false;
    };
  }

  private static boolean isReadOnly(byte @Nullable [] source) {
    try {
      return source != null && ScriptHeader.of(source).flags().contains(ScriptFlag.NO_WRITES);
    } catch (DataException wrong) {
      return false;
    }
  }
}
