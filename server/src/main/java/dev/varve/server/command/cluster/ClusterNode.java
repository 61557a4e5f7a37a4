package dev.varve.server.command.cluster;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A server, as clients are told of it.
 *
 * <p>Immutable.
 *
 * @param ip where it is
 * @param port where the client that asks reaches it
 * @param plainPort where it takes connections without TLS, or 0
 * @param tlsPort where it takes those with TLS, or 0 if that is not so, or not known
 * @param hostName how it wants to be called, or empty
 * @param isMyself whether it is the server that tells
 * @param isMaster whether it has all slots, and does not follow another one
 * @param health whether it can be asked
 * @param offset up to where it has what was written
 */
record ClusterNode(
    String ip,
    int port,
    int plainPort,
    int tlsPort,
    String hostName,
    boolean isMyself,
    boolean isMaster,
    Health health,
    long offset) {

  /** Under the names that CLUSTER SHARDS has. */
  enum Health {
    ONLINE("online"),
    /** It gets its data. */
    LOADING("loading"),
    FAILED("failed");

    private final String label;

    Health(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  /**
   * Forty hexadecimal digits. They are made of its address, so that all servers know each other by
   * the same ones, and by the same after a restart.
   */
  String id() {
    String address = ip + ' ' + (plainPort == 0 ? tlsPort : plainPort);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(digest.digest(address.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
