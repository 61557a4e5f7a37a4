package dev.varve.server.net.loop;

import io.vertx.core.transport.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses what serves the sockets, by the name that the configuration has. Stateless. */
final class SocketTransport {
  private static final Logger LOG = LoggerFactory.getLogger(SocketTransport.class);

  /** Netty's name for how many completions the kernel can leave for a loop. */
  private static final String COMPLETIONS = "io.netty.iouring.cqSize";

  /** Ten thousand clients may go at once; each leaves more than one. 16 bytes each. */
  private static final int COMPLETIONS_MAX = 1 << 15;

  /**
   * Netty's name for whether its buffers tell the flight recorder of themselves, recording or not:
   * to load what that needs would be a tenth of a start.
   */
  private static final String RECORDED_BUFFERS = "io.netty.jfr.enabled";

  /**
   * Netty's name for whether one request to the kernel takes any number of connections. Where there
   * is no descriptor for the next one, such a request is made anew at once, without end.
   */
  private static final String ACCEPTS_MANY = "io.netty.iouring.acceptMultiShotEnabled";

  /**
   * Vert.x's name for whether the system looks up the names of hosts. Netty would ask servers of
   * its own choice where the system names none, and says so at each start.
   */
  private static final String SYSTEM_NAMES = "vertx.disableDnsResolver";

  private SocketTransport() {}

  /**
   * The transport of that name, or the JDK's where the machine does not have it. Before anything
   * else of Netty and Vert.x is used.
   */
  static Transport named(String name) {
    byDefault(RECORDED_BUFFERS, "false");
    byDefault(SYSTEM_NAMES, "true");
    if (name.equals("io_uring")) {
      byDefault(COMPLETIONS, Integer.toString(COMPLETIONS_MAX));
      byDefault(ACCEPTS_MANY, "false");
      Transport its = Transport.IO_URING;
      if (its != null && its.available()) {
        return its;
      }
      LOG.warn(
          "io_uring is not to be had here, the JDK serves the sockets: {}",
          its == null ? "not on the class path" : String.valueOf(its.unavailabilityCause()));
    }
    return Transport.NIO;
  }

  private static void byDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
