package dev.varve.server.surface;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which requests say the same in two servers whatever others do in databases of their own. Pure
 * functions.
 */
final class OneDatabase {
  /** What reaches beyond a database, or tells what others do. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "ACL",
          "CLIENT",
          "CONFIG",
          "DEBUG",
          "FAILOVER",
          "FCALL",
          "FLUSHALL",
          "FUNCTION",
          "LATENCY",
          "MOVE",
          // It keeps its count for the next one, but while another client writes for long.
          "PFCOUNT",
          "PUBLISH",
          "PUBSUB",
          "REPLICAOF",
          "ROLE",
          "SCRIPT",
          "SELECT",
          "SLAVEOF",
          "SLOWLOG",
          "SPUBLISH",
          "WAIT");

  private OneDatabase() {}

  static boolean isWithin(List<String> request) {
    String name = request.get(0).toUpperCase(Locale.ROOT);
    return !LEFT_OUT.contains(name)
        && !name.contains("SUBSCRIBE")
        // Of members that are equally far any comes first.
        && !name.startsWith("GEORADIUS")
        && !name.startsWith("GEOSEARCH")
        && !(name.equals("COPY") && request.contains("DB"));
  }
}
