package dev.varve.perf.server;

import java.io.PrintStream;
import java.util.Locale;

/**
 * A figure beside the one that is wanted.
 *
 * @param what the figure with its unit
 * @param relation how measured should stand to wanted, as shown
 */
public record Verdict(String what, double measured, String relation, double wanted, boolean holds) {

  /** Holds up to {@code wanted}. */
  public static Verdict atMost(String what, double measured, double wanted) {
    return new Verdict(what, measured, "<=", wanted, measured <= wanted);
  }

  /** Holds from {@code wanted} on. */
  public static Verdict atLeast(String what, double measured, double wanted) {
    return new Verdict(what, measured, ">=", wanted, measured >= wanted);
  }

  /** One line. */
  public void print(PrintStream out) {
    out.printf(
        Locale.ROOT,
        "  %-6s %s: %s (wanted %s %.2f)%n",
        holds ? "held" : "MISSED",
        what,
        Double.isInfinite(measured) ? "not seen" : String.format(Locale.ROOT, "%.2f", measured),
        relation,
        wanted);
  }
}
