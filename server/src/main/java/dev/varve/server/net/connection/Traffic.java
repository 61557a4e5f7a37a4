package dev.varve.server.net.connection;

/**
 * What was read from the sockets of clients and written to them.
 *
 * <p>Any thread.
 */
public final class Traffic {
  private final TransferCount in = new TransferCount();
  private final TransferCount out = new TransferCount();

  /** A socket was read. */
  void in(int bytes) {
    in.add(bytes);
  }

  /** So much was handed to a socket at once. */
  void out(long bytes) {
    out.add(bytes);
  }

  public long inBytes() {
    return in.bytes();
  }

  public long outBytes() {
    return out.bytes();
  }

  /** How often sockets were read. */
  public long reads() {
    return in.transfers();
  }

  /** How often something was handed to a socket. */
  public long writes() {
    return out.transfers();
  }

  /** Counts again from zero. */
  public void reset() {
    in.reset();
    out.reset();
  }
}
