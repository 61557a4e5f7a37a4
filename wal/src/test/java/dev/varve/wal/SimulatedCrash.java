package dev.varve.wal;

/**
 * The machine stopped here. An error, not an exception, so that no code under test handles it as a
 * failed call.
 */
public final class SimulatedCrash extends Error {
  private static final long serialVersionUID = 1L;

  public SimulatedCrash(String where) {
    super("simulated crash: " + where, null, false, false);
  }
}
