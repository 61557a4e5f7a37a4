package dev.varve.server.config;

import java.util.List;
import java.util.Map;

/** The parameters of servers that follow one another, under Redis 7.0's names. */
public final class ReplicationParameters {
  private static final int PORT_MAX = 65_535;
  private static final long BACKLOG_BYTES_MIN = 16 << 10;

  /** CONFIG SET may not change it: REPLICAOF does. */
  public static final Parameter REPLICAOF =
      Parameter.text("replicaof", "", "host and port of a server to follow; empty: none")
          .manyWords()
          .mergedBy((before, change) -> master(change));

  public static final Parameter MASTERUSER =
      Parameter.text("masteruser", "", "user to follow it as; empty: the default user").mutable();
  public static final Parameter MASTERAUTH =
      Parameter.text("masterauth", "", "that user's password; empty: none is asked for").mutable();
  public static final Parameter READ_ONLY =
      Parameter.yesNo("replica-read-only", true, "a server that follows another takes no writes")
          .mutable();
  public static final Parameter SERVE_STALE =
      Parameter.yesNo(
              "replica-serve-stale-data",
              true,
              "it answers reads while it is not connected to the other")
          .mutable();
  public static final Parameter TIMEOUT =
      Parameter.integer(
              "repl-timeout",
              60,
              1,
              Integer.MAX_VALUE,
              "seconds without a word of the other before it is connected to anew")
          .mutable();
  public static final Parameter TLS =
      Parameter.yesNo(
              "tls-replication",
              false,
              "it is spoken with by TLS; tls-ca-cert-file says who has signed its certificate")
          .mutable();
  public static final Parameter ANNOUNCED_ADDRESS =
      Parameter.text(
              "replica-announce-ip", "", "address to be shown under there; empty: as it is seen")
          .mutable();
  public static final Parameter ANNOUNCED_PORT =
      Parameter.integer(
              "replica-announce-port", 0, 0, PORT_MAX, "port to be shown with there; 0: its own")
          .mutable();

  public static final Parameter BACKLOG_SIZE =
      Parameter.memory(
              "repl-backlog-size",
              "1048576",
              1,
              Long.MAX_VALUE,
              "how much of what was written is kept for servers that come to follow this one")
          .mutable()
          .mergedBy((before, change) -> backlogBytes(change));
  public static final Parameter BACKLOG_TTL =
      Parameter.integer(
              "repl-backlog-ttl",
              3600,
              0,
              Long.MAX_VALUE,
              "seconds that it is kept for when none follows any more, and for each that left; 0: for ever")
          .mutable();
  public static final Parameter PING_PERIOD =
      Parameter.integer(
              "repl-ping-replica-period",
              10,
              1,
              Integer.MAX_VALUE,
              "seconds after which they are told that there is nothing new")
          .mutable();

  /** Not one of Redis's. */
  public static final Parameter SPOOL_SIZE =
      Parameter.memory(
              "replica-spool-size",
              "4gb",
              0,
              Long.MAX_VALUE,
              "disk for what they lack, also those that are away; 0: it has to fit into memory")
          .mutable();

  public static final Parameter SHUTDOWN_TIMEOUT =
      Parameter.integer(
              "shutdown-timeout",
              10,
              0,
              Integer.MAX_VALUE,
              "seconds that a stop waits for them to have what was written last")
          .mutable();

  /** All of them, in the order in which --help shows them. */
  static final List<Parameter> ALL =
      List.of(
          REPLICAOF,
          MASTERUSER,
          MASTERAUTH,
          READ_ONLY,
          SERVE_STALE,
          TIMEOUT,
          TLS,
          ANNOUNCED_ADDRESS,
          ANNOUNCED_PORT,
          BACKLOG_SIZE,
          BACKLOG_TTL,
          PING_PERIOD,
          SPOOL_SIZE,
          SHUTDOWN_TIMEOUT);

  /** Redis's names before 5.0. */
  static final Map<String, Parameter> OLD_NAMES =
      Map.of(
          "slaveof", REPLICAOF,
          "slave-read-only", READ_ONLY,
          "slave-serve-stale-data", SERVE_STALE,
          "slave-announce-ip", ANNOUNCED_ADDRESS,
          "slave-announce-port", ANNOUNCED_PORT,
          "repl-ping-slave-period", PING_PERIOD);

  private ReplicationParameters() {}

  /** As in Redis, less than that is taken for it. */
  private static String backlogBytes(String change) throws ConfigException {
    return Long.toString(Math.max(BACKLOG_BYTES_MIN, BACKLOG_SIZE.parse(change).number()));
  }

  private static String master(String text) throws ConfigException {
    if (text.isEmpty() || text.equalsIgnoreCase("no one")) {
      return "";
    }
    if (!text.matches("\\S+ \\d{1,5}") || port(text) > PORT_MAX) {
      throw new ConfigException("must be a host and a port, or 'no one'");
    }
    return text;
  }

  private static int port(String text) {
    return Integer.parseInt(text.substring(text.indexOf(' ') + 1));
  }
}
