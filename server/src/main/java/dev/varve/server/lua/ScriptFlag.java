package dev.varve.server.lua;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a script or a function declares of itself, in the order in which Redis lists it. */
public enum ScriptFlag {
  NO_WRITES,
  ALLOW_OOM,
  ALLOW_STALE,
  NO_CLUSTER,
  ALLOW_CROSS_SLOT_KEYS;

  private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

  public String label() {
    return label;
  }

  /** The flag of that name in any case, or null. */
  public static @Nullable ScriptFlag named(String name) {
    for (ScriptFlag flag : values()) {
      if (flag.label.equalsIgnoreCase(name)) {
        return flag;
      }
    }
    return null;
  }
}
