package dev.varve.server.command.cluster;

import dev.varve.server.command.Session;
import dev.varve.server.command.cluster.ClusterNode.Health;
import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicaStatus;
import dev.varve.server.command.run.Following;
import dev.varve.server.config.ClusterParameters;
import dev.varve.server.config.Parameter;
import dev.varve.server.config.Settings;
import dev.varve.server.config.TlsParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Which nodes there are: this server, the one that it follows or those that follow it.
 *
 * <p>Any thread.
 */
final class Topology {
  private static final String UNIX_SOCKET = "/";
  private static final String HERE = "127.0.0.1";

  private final Settings settings;
  private final Following following;
  private final Leading leading;
  private final IntSupplier port;

  /**
   * @param port where this server listens without TLS, or 0
   */
  Topology(Settings settings, Following following, Leading leading, IntSupplier port) {
    this.settings = settings;
    this.following = following;
    this.leading = leading;
    this.port = port;
  }

  /** All of them, as that client reaches them: the master, and those that follow it. */
  List<ClusterNode> seenBy(Session client) {
    List<ClusterNode> nodes = new ArrayList<>();
    Following.Master master = following.master();
    ClusterNode myself = myself(client, master == null);
    if (master != null) {
      boolean isUp = following.link() == Following.Link.CONNECTED;
      Health health = isUp ? Health.ONLINE : Health.FAILED;
      nodes.add(node(master.host(), master.port(), true, health, following.offset()));
    }
    nodes.add(myself);
    for (ReplicaStatus replica : leading.statuses()) {
      Health health = replica.isOnline() ? Health.ONLINE : Health.LOADING;
      nodes.add(node(replica.address(), replica.port(), false, health, replica.offset()));
    }
    return nodes;
  }

  private static ClusterNode node(
      String ip, int itsPort, boolean isMaster, Health health, long offset) {
    return new ClusterNode(ip, itsPort, itsPort, 0, "", false, isMaster, health, offset);
  }

  /** This server. */
  ClusterNode myself(Session client) {
    return myself(client, !following.isOn());
  }

  private ClusterNode myself(Session client, boolean isMaster) {
    String address = client.localAddress();
    boolean isByNetwork = !address.startsWith(UNIX_SOCKET);
    int colon = address.lastIndexOf(':');
    String host = isByNetwork ? withoutBrackets(address.substring(0, colon)) : HERE;
    int reached = isByNetwork ? Integer.parseInt(address.substring(colon + 1)) : port.getAsInt();
    int tlsListening = settings.integer(TlsParameters.PORT);
    int plainPort = announced(ClusterParameters.ANNOUNCED_PORT, port.getAsInt());
    int tlsPort = announced(ClusterParameters.ANNOUNCED_TLS_PORT, tlsListening);
    boolean isByTls = reached == tlsListening || plainPort == 0;
    String announced = settings.text(ClusterParameters.ANNOUNCED_IP);
    return new ClusterNode(
        announced.isEmpty() ? host : announced,
        isByTls ? tlsPort : plainPort,
        plainPort,
        tlsPort,
        settings.text(ClusterParameters.ANNOUNCED_HOST_NAME),
        true,
        isMaster,
        following.isLoading() ? Health.LOADING : Health.ONLINE,
        isMaster ? leading.stream().offset() : following.offset());
  }

  private int announced(Parameter parameter, int otherwise) {
    int its = settings.integer(parameter);
    return its == 0 ? otherwise : its;
  }

  private static String withoutBrackets(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}
