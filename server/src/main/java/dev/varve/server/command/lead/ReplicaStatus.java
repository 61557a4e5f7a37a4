package dev.varve.server.command.lead;

import dev.varve.server.command.Replica;
import dev.varve.server.command.Session;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How one who follows this server is doing.
 *
 * <p>Immutable.
 *
 * @param address where it says that it is, or where its connection comes from
 * @param offset up to where it has carried out what was written
 * @param sent up to where it has been sent that
 * @param lagSeconds for how long it has said nothing
 */
public record ReplicaStatus(
    String address, int port, Replica.Phase phase, long offset, long sent, long lagSeconds) {

  /** Of that client; null for one who wants a dump and nothing else. */
  public static @Nullable ReplicaStatus of(Session session) {
    Replica replica = session.replica();
    if (replica == null || replica.wantsDumpOnly()) {
      return null;
    }
    return new ReplicaStatus(
        replica.address().isEmpty() ? host(session.address()) : replica.address(),
        replica.port(),
        replica.phase(),
        replica.acknowledged(),
        replica.sent(),
        lagSeconds(replica));
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

  /** Whether it is sent what is written as it is written. */
  public boolean isOnline() {
    return phase == Replica.Phase.ONLINE;
  }

  /** Where others reach it, as connections name where they come from. */
  public String name() {
    return (address.contains(":") ? "[" + address + "]" : address) + ":" + port;
  }

  /** As INFO has it. */
  public String text() {
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
