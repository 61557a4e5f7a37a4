package dev.varve.server.net;

/** Takes whether a block is in memory. On the event loop that was asked for it. */
@FunctionalInterface
interface BlockReceiver {
  void receive(boolean isLoaded);
}
