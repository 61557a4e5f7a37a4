package dev.varve.server.command.admin;

import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.Leading;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is said of one who follows this server.
 *
 * <p>Immutable.
 *
 * @param address where it says that it is, or where its connection comes from
 * @param offset up to where it has carried out what was written
 * @param lagSeconds for how long it has said nothing
 */
record ReplicaLine(String address, int port, Replica.Phase phase, long offset, long lagSeconds) {

  /** Those who do now, but for who wants a dump and nothing else. */
  static List<ReplicaLine> all(Leading leading) {
    List<ReplicaLine> all = new ArrayList<>();
    for (Session session : leading.replicas()) {
      Replica replica = session.replica();
      if (replica != null && !replica.wantsDumpOnly()) {
        all.add(
            new ReplicaLine(
                replica.address().isEmpty() ? host(session.address()) : replica.address(),
                replica.port(),
                replica.phase(),
                replica.acknowledged(),
                lagSeconds(replica)));
      }
    }
    return all;
  }

  /** Without the port, and without the brackets that tell the two apart. */
  private static String host(String address) {
    String host = address.substring(0, address.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static long lagSeconds(Replica replica) {
    return replica.hasAcknowledged()
        ? TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - replica.heardNanos())
        : 0;
  }

  /** As INFO has it. */
  String text() {
    return "ip="
        + address
        + ",port="
        + port
        + ",state="
        + phase.label()
        + ",offset="
        + offset
        + ",lag="
        + lagSeconds;
  }
}
