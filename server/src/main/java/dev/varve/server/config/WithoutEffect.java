package dev.varve.server.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a configuration asks for and does not get: parameters that are taken, because files and
 * tools have them, and have no effect here. Whoever relies on one is told at the start.
 *
 * <p>Pure functions, any thread.
 */
public final class WithoutEffect {

  /** What there is instead, of those that are relied on most; the others are only named. */
  private static final Map<String, String> INSTEAD =
      Map.of(
          "maxmemory-policy", "nothing is evicted",
          "save", "every write is on disk as appendfsync says",
          "logfile", "the log goes to standard output",
          "dbfilename", "there is no RDB file",
          "appendfilename", "the log is in dir",
          "appenddirname", "the log is in dir");

  private WithoutEffect() {}

  /**
   * Those that are not at their defaults, the most important first, each with what there is
   * instead; their values may be secrets and are not told.
   */
  public static List<String> in(Settings settings) {
    Set<Parameter> suspects = new LinkedHashSet<>();
    suspects.add(Parameters.MAXMEMORY_POLICY);
    suspects.add(Parameters.SAVE);
    suspects.addAll(EchoedParameters.byName().keySet().stream().map(Parameters::find).toList());
    List<String> found = new ArrayList<>();
    for (Parameter parameter : suspects) {
      if (!settings.text(parameter).equals(parameter.defaultText())) {
        String instead = INSTEAD.get(parameter.name());
        found.add(parameter.name() + (instead == null ? "" : " (" + instead + ')'));
      }
    }
    return found;
  }
}
