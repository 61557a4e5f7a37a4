package dev.varve.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * A port for a server that has to know it before it listens.
 *
 * <p>Pure functions, for any thread.
 */
public final class FreePort {
  private FreePort() {}

  /** One of this machine that nobody listened on a moment ago. */
  public static int any() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return any.getLocalPort();
    }
  }
}
