package dev.varve.server.command;

import dev.varve.server.resp.Args;

/**
 * What a command does: see the package for its rules.
 *
 * <p>It may run twice for one request, and on any thread, so it keeps nothing between runs.
 */
@FunctionalInterface
public interface CommandFunction {
  void run(CommandContext context, Args args);
}
