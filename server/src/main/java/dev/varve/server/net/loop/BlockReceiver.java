package dev.varve.server.net.loop;

/** Takes whether a block is in memory. On the event loop that was asked for it. */
@FunctionalInterface
public interface BlockReceiver {
  void receive(boolean isLoaded);
}
