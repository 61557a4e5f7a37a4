package dev.varve.server.command.run;

import dev.varve.codec.DataException;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.lua.ScriptFlag;
import java.util.Set;

/**
 * What the configuration asks for and the server does not have: memory to work in, replicas. Until
 * CONFIG SET asks for less, commands that need it are refused.
 *
 * <p>Any thread.
 */
public final class Shortage {
  static final DataException NO_MEMORY =
      new DataException("OOM command not allowed when used memory > 'maxmemory'.");
  static final DataException NO_REPLICAS =
      new DataException("NOREPLICAS Not enough good replicas to write.");

  private static final DataException NO_MEMORY_FOR_SCRIPT =
      new DataException(
          "OOM allow-oom flag is not set on the script, can not run it when used memory >"
              + " 'maxmemory'");

  private final Leading leading;
  private volatile boolean ofMemory;
  private volatile long replicasMin;
  private volatile long lagNanosMax;

  Shortage(Leading leading) {
    this.leading = leading;
  }

  /**
   * Says what is asked for from the next command on.
   *
   * @param itsReplicasMin how many replicas have to be here
   * @param itsLagNanosMax for how long one that is may have said nothing
   */
  public void update(boolean memoryIsShort, long itsReplicasMin, long itsLagNanosMax) {
    ofMemory = memoryIsShort;
    replicasMin = itsReplicasMin;
    lagNanosMax = itsLagNanosMax;
  }

  boolean isOfMemory() {
    return ofMemory;
  }

  boolean isOfReplicas() {
    long min = replicasMin;
    return min > 0 && leading.acknowledgements().countHeard(lagNanosMax) < min;
  }

  /** Whether a script that has declared these flags may write. */
  static boolean mayWrite(Set<ScriptFlag> declared) {
    return !declared.contains(ScriptFlag.NO_WRITES);
  }

  /** Whether a script that has declared these flags is one for which there must be memory. */
  static boolean needsMemory(Set<ScriptFlag> declared) {
    return mayWrite(declared) && !declared.contains(ScriptFlag.ALLOW_OOM);
  }

  /** Throws Redis's error when a script that has declared these flags cannot begin. */
  void requireEnoughFor(Set<ScriptFlag> declared) {
    if (mayWrite(declared) && isOfReplicas()) {
      throw NO_REPLICAS;
    }
    if (ofMemory && needsMemory(declared)) {
      throw NO_MEMORY_FOR_SCRIPT;
    }
  }
}
