package dev.varve.server.command.admin;

import dev.varve.server.resp.RespEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An argument of a command, as COMMAND DOCS describes it; see {@link ArgumentSyntax}.
 *
 * @param type {@code key}, {@code string}, {@code oneof} and so on, by Redis's names
 * @param keySpec which of the command's groups of keys it belongs to, or {@link #NO_KEY_SPEC}
 * @param token the word that stands in front of it, or that it is; null if there is none
 * @param parts what a {@code oneof} chooses from and a {@code block} is made of
 */
record DocumentedArgument(
    String name,
    String type,
    int keySpec,
    @Nullable String token,
    @Nullable String since,
    @Nullable String deprecatedSince,
    List<String> flags,
    List<DocumentedArgument> parts) {

  static final int NO_KEY_SPEC = -1;

  /** Writes one array of arguments. */
  static void describe(RespEncoder reply, List<DocumentedArgument> arguments) {
    reply.array(arguments.size());
    arguments.forEach(argument -> argument.describe(reply));
  }

  private void describe(RespEncoder reply) {
    int entries = 2;
    entries += keySpec == NO_KEY_SPEC ? 0 : 1;
    entries += token == null ? 0 : 1;
    entries += since == null ? 0 : 1;
    entries += deprecatedSince == null ? 0 : 1;
    entries += flags.isEmpty() ? 0 : 1;
    entries += parts.isEmpty() ? 0 : 1;
    reply.map(entries);
    text(reply, "name", name);
    text(reply, "type", type);
    if (keySpec != NO_KEY_SPEC) {
      reply.bulk("key_spec_index");
      reply.integer(keySpec);
    }
    text(reply, "token", token);
    text(reply, "since", since);
    text(reply, "deprecated_since", deprecatedSince);
    if (!flags.isEmpty()) {
      reply.bulk("flags");
      reply.set(flags.size());
      flags.forEach(reply::status);
    }
    if (!parts.isEmpty()) {
      reply.bulk("arguments");
      describe(reply, parts);
    }
  }

  /** Writes one entry of a map, if there is a value. */
  static void text(RespEncoder reply, String name, @Nullable String value) {
    if (value != null) {
      reply.bulk(name);
      reply.bulk(value);
    }
  }
}
