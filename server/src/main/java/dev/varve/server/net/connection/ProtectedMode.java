package dev.varve.server.net.connection;

import dev.varve.server.config.BindAddress;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Who is let in by a server that nobody has given a password: clients of its own machine, as in
 * Redis, so that what was started to be tried is not open to a whole network.
 *
 * <p>Pure functions but for looking up the names in {@code bind}, any thread.
 */
public final class ProtectedMode {

  /** What a client is told that is not let in. */
  static final String DENIED =
      "-DENIED This server has no password and takes commands of its own machine only"
          + " (protected-mode yes). To reach it from here, do one of these on its machine: set a"
          + " password (requirepass), which is the best; set protected-mode no, if everybody who"
          + " can reach its port may read and change all data; or, if nobody else is meant to"
          + " reach it, bind it to a loopback address (bind 127.0.0.1) and come from there.";

  private ProtectedMode() {}

  /**
   * Whether a client is not let in.
   *
   * @param remote where it is; null if it has reset its connection already
   * @param local where it came to: nobody else comes to a loopback address
   * @param needsNoPassword whether the default user has none
   */
  static boolean refuses(
      @Nullable SocketAddress remote,
      @Nullable SocketAddress local,
      Settings settings,
      boolean needsNoPassword) {
    return isOn(settings, needsNoPassword) && !isLoopback(remote) && !isLoopback(local);
  }

  private static boolean isOn(Settings settings, boolean needsNoPassword) {
    return needsNoPassword && settings.number(Parameters.PROTECTED_MODE) == 1;
  }

  private static boolean isLoopback(@Nullable SocketAddress remote) {
    return remote instanceof InetSocketAddress its
        && its.getAddress() != null
        && its.getAddress().isLoopbackAddress();
  }

  /** Whether a server listens where others could come from, and lets none of them in. */
  public static boolean isFelt(Settings settings, boolean needsNoPassword) {
    return isOn(settings, needsNoPassword)
        && BindAddress.all(settings).stream().anyMatch(address -> !isLoopback(address));
  }

  private static boolean isLoopback(BindAddress address) {
    try {
      return InetAddress.getByName(address.host()).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      // Nobody listens there, else the start would have failed.
      return true;
    }
  }
}
