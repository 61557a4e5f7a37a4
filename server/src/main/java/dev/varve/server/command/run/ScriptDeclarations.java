package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.server.command.Command;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.ScriptHeader;
import java.util.Locale;
import java.util.Set;
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
    Set<ScriptFlag> flags = flags(command, args);
    return flags != null && flags.contains(ScriptFlag.NO_WRITES);
  }

  /** What a command calls has declared this; null if it calls nothing that declares anything. */
  @Nullable Set<ScriptFlag> flags(Command command, Args args) {
    return switch (command.name()) {
      case "eval", "eval_ro" -> flags(args.get(1));
      case "evalsha", "evalsha_ro" ->
          flags(keyspace.scripts().source(args.text(1).toLowerCase(Locale.ROOT)));
      case "fcall", "fcall_ro" -> {
        FunctionLibraries.Found found =
            keyspace.libraries().function(LuaString.wrap(args.get(1)).toString());
        yield found == null ? null : found.function().flags();
      }
      default -> null;
    };
  }

  private static @Nullable Set<ScriptFlag> flags(byte @Nullable [] source) {
    try {
      ScriptHeader header = source == null ? null : ScriptHeader.of(source);
      return header != null && header.declared() ? header.flags() : null;
    } catch (DataException wrong) {
      return null;
    }
  }
}
