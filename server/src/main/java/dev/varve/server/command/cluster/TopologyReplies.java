package dev.varve.server.command.cluster;

import dev.varve.server.command.run.KeySlot;
import dev.varve.server.resp.RespEncoder;
import java.util.List;

/**
 * The forms in which Redis tells of nodes (https://redis.io/docs/latest/commands/cluster-nodes/ and
 * its neighbours).
 *
 * <p>Pure functions, but for the reply that they write.
 */
final class TopologyReplies {
  private static final int LAST_SLOT = KeySlot.COUNT - 1;

  /** Where nodes of Redis speak with each other; nobody listens there. */
  private static final int BUS_PORT_AHEAD = 10_000;

  private static final String NO_MASTER = "-";
  private static final String UNKNOWN_HOST = "?";

  /** By what clients are told to reach a node, under the names that CONFIG has. */
  enum Endpoint {
    IP,
    HOSTNAME,
    UNKNOWN;

    static Endpoint named(String text) {
      return switch (text) {
        case "hostname" -> HOSTNAME;
        case "unknown-endpoint" -> UNKNOWN;
        default -> IP;
      };
    }
  }

  private TopologyReplies() {}

  /** CLUSTER SLOTS. */
  static void slots(RespEncoder reply, List<ClusterNode> nodes, Endpoint endpoint) {
    reply.array(1);
    reply.array(2 + nodes.size());
    reply.integer(0);
    reply.integer(LAST_SLOT);
    for (ClusterNode node : nodes) {
      reply.array(4);
      endpoint(reply, node, endpoint);
      reply.integer(node.port());
      reply.bulk(node.id());
      boolean hasIp = endpoint != Endpoint.IP;
      boolean hasName = endpoint != Endpoint.HOSTNAME && !node.hostName().isEmpty();
      reply.map((hasIp ? 1 : 0) + (hasName ? 1 : 0));
      if (hasIp) {
        reply.bulk("ip");
        reply.bulk(node.ip());
      }
      if (hasName) {
        reply.bulk("hostname");
        reply.bulk(node.hostName());
      }
    }
  }

  private static void endpoint(RespEncoder reply, ClusterNode node, Endpoint endpoint) {
    switch (endpoint) {
      case IP -> reply.bulk(node.ip());
      case HOSTNAME -> reply.bulk(node.hostName().isEmpty() ? UNKNOWN_HOST : node.hostName());
      case UNKNOWN -> reply.nullBulk();
    }
  }

  /** CLUSTER SHARDS. */
  static void shards(RespEncoder reply, List<ClusterNode> nodes, Endpoint endpoint) {
    reply.array(1);
    reply.map(2);
    reply.bulk("slots");
    reply.array(2);
    reply.integer(0);
    reply.integer(LAST_SLOT);
    reply.bulk("nodes");
    reply.array(nodes.size());
    for (ClusterNode node : nodes) {
      shardNode(reply, node, endpoint);
    }
  }

  private static void shardNode(RespEncoder reply, ClusterNode node, Endpoint endpoint) {
    boolean hasPort = node.plainPort() != 0;
    boolean hasTlsPort = node.tlsPort() != 0;
    boolean hasName = !node.hostName().isEmpty();
    reply.map(6 + (hasPort ? 1 : 0) + (hasTlsPort ? 1 : 0) + (hasName ? 1 : 0));
    reply.bulk("id");
    reply.bulk(node.id());
    if (hasPort) {
      reply.bulk("port");
      reply.integer(node.plainPort());
    }
    if (hasTlsPort) {
      reply.bulk("tls-port");
      reply.integer(node.tlsPort());
    }
    reply.bulk("ip");
    reply.bulk(node.ip());
    reply.bulk("endpoint");
    endpoint(reply, node, endpoint);
    if (hasName) {
      reply.bulk("hostname");
      reply.bulk(node.hostName());
    }
    reply.bulk("role");
    reply.bulk(node.isMaster() ? "master" : "replica");
    reply.bulk("replication-offset");
    reply.integer(node.offset());
    reply.bulk("health");
    reply.bulk(node.health().label());
  }

  /**
   * The line of CLUSTER NODES about one of them.
   *
   * @param nodes all, the master first
   * @param nowMillis the time, in ms since 1970
   */
  static String line(ClusterNode node, List<ClusterNode> nodes, long nowMillis) {
    boolean isFailed = node.health() == ClusterNode.Health.FAILED;
    return node.id()
        + ' '
        + node.ip()
        + ':'
        + node.port()
        + '@'
        + (node.port() + BUS_PORT_AHEAD)
        + (node.hostName().isEmpty() ? "" : "," + node.hostName())
        + ' '
        + (node.isMyself() ? "myself," : "")
        + (node.isMaster() ? "master" : "slave")
        + (isFailed ? ",fail?" : "")
        + ' '
        + (node.isMaster() ? NO_MASTER : nodes.get(0).id())
        + " 0 "
        + (node.isMyself() ? 0 : nowMillis)
        + " 0 "
        + (isFailed ? "disconnected" : "connected")
        + (node.isMaster() ? " 0-" + LAST_SLOT : "");
  }

  /** CLUSTER NODES. */
  static String lines(List<ClusterNode> nodes, long nowMillis) {
    StringBuilder text = new StringBuilder();
    for (ClusterNode node : nodes) {
      text.append(line(node, nodes, nowMillis)).append('\n');
    }
    return text.toString();
  }

  /** CLUSTER INFO. */
  static String info(List<ClusterNode> nodes) {
    boolean isFailed = nodes.get(0).health() == ClusterNode.Health.FAILED;
    return String.join(
        "\r\n",
        "cluster_state:ok",
        "cluster_slots_assigned:" + KeySlot.COUNT,
        "cluster_slots_ok:" + (isFailed ? 0 : KeySlot.COUNT),
        "cluster_slots_pfail:" + (isFailed ? KeySlot.COUNT : 0),
        "cluster_slots_fail:0",
        "cluster_known_nodes:" + nodes.size(),
        "cluster_size:1",
        "cluster_current_epoch:0",
        "cluster_my_epoch:0",
        "cluster_stats_messages_sent:0",
        "cluster_stats_messages_received:0",
        "total_cluster_links_buffer_limit_exceeded:0",
        "");
  }
}
