package dev.varve.server.config;

import java.util.List;

/** The parameters of a server that clients see as a cluster, under Redis 7.0's names. */
public final class ClusterParameters {
  private static final int PORT_MAX = 65_535;

  public static final Parameter ENABLED =
      Parameter.yesNo(
          "cluster-enabled",
          false,
          "clients that know clusters see one, of which this server has all slots");
  public static final Parameter ANNOUNCED_IP =
      Parameter.text(
              "cluster-announce-ip",
              "",
              "where they are told that it is; empty: where they have reached it")
          .mutable();
  public static final Parameter ANNOUNCED_PORT =
      Parameter.integer("cluster-announce-port", 0, 0, PORT_MAX, "port to go with that; 0: its own")
          .mutable();
  public static final Parameter ANNOUNCED_TLS_PORT =
      Parameter.integer("cluster-announce-tls-port", 0, 0, PORT_MAX, "the same for TLS; 0: its own")
          .mutable();
  public static final Parameter ANNOUNCED_HOST_NAME =
      Parameter.text("cluster-announce-hostname", "", "name that they are told; empty: none")
          .mergedBy(EchoedRules::hostName)
          .mutable();
  public static final Parameter PREFERRED_ENDPOINT =
      Parameter.choice(
              "cluster-preferred-endpoint-type",
              "by what they are to reach it",
              "ip",
              "ip",
              "hostname",
              "unknown-endpoint")
          .mutable();

  /** All of them, in the order in which --help shows them. */
  static final List<Parameter> ALL =
      List.of(
          ENABLED,
          ANNOUNCED_IP,
          ANNOUNCED_PORT,
          ANNOUNCED_TLS_PORT,
          ANNOUNCED_HOST_NAME,
          PREFERRED_ENDPOINT);

  private ClusterParameters() {}
}
