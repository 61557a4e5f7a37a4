package dev.varve.server.command;

/**
 * What is known of a client that is another server, which follows this one.
 *
 * <p>Written on the keyspace loop, but for what says otherwise; any thread reads.
 */
public final class Replica {

  /** How far it is, under the names that INFO has. */
  public enum Phase {
    /** It has said something of itself, and not asked for anything yet. */
    NONE(""),
    /** It is to have all data, as soon as that can be seen at one moment. */
    AWAITED("wait_bgsave"),
    /** It is sent all data. */
    DUMPED("send_bulk"),
    /** It is sent what is written as it is written. */
    ONLINE("online");

    private final String label;

    Phase(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  private static final long NOT_TOLD = -1;

  private volatile Phase phase = Phase.NONE;
  private volatile String address = "";
  private volatile int port;
  private volatile boolean hasEndMarks;
  private volatile boolean wantsDumpOnly;
  private volatile boolean hasAcknowledged;
  private volatile long acknowledged;
  private volatile long synced = NOT_TOLD;
  private volatile long heardNanos;
  private volatile long sent;

  public Phase phase() {
    return phase;
  }

  /** It is that far. Whoever sends it what it needs. */
  public void phase(Phase its) {
    phase = its;
  }

  /** Where it says that it is reached, or nothing. */
  public String address() {
    return address;
  }

  public void address(String its) {
    address = its;
  }

  /** Where it says that it listens, or 0. */
  public int port() {
    return port;
  }

  public void port(int its) {
    port = its;
  }

  /** Whether it finds the end of a dump by a mark, so that nobody need know its length before. */
  public boolean hasEndMarks() {
    return hasEndMarks;
  }

  public void takesEndMarks() {
    hasEndMarks = true;
  }

  /** Whether it wants all data and nothing else: it is no copy that could take over. */
  public boolean wantsDumpOnly() {
    return wantsDumpOnly;
  }

  public void wantsDumpOnly(boolean yes) {
    wantsDumpOnly = yes;
  }

  /**
   * It has carried out so much.
   *
   * @param nowNanos as {@link System#nanoTime}
   */
  public void acknowledge(long offset, long nowNanos) {
    acknowledged = Math.max(acknowledged, offset);
    heardNanos = nowNanos;
    hasAcknowledged = true;
  }

  /** Whether it has said so since it was sent all data. */
  public boolean hasAcknowledged() {
    return hasAcknowledged;
  }

  public long acknowledged() {
    return acknowledged;
  }

  /** It has synced so much of it. */
  public void synced(long offset) {
    synced = Math.max(synced, offset);
  }

  /** How much it has synced; negative if it does not tell. */
  public long synced() {
    return synced;
  }

  /** When it said so last, as {@link System#nanoTime}. */
  public long heardNanos() {
    return heardNanos;
  }

  /** So much was sent to it. Whoever sends it. */
  public void sent(long offset) {
    sent = offset;
  }

  public long sent() {
    return sent;
  }
}
