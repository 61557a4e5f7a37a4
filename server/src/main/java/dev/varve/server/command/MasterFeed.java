package dev.varve.server.command;

import dev.varve.server.resp.Args;

/**
 * Is told of the requests of the master: the server that this one follows.
 *
 * <p>Whoever has the turn of its session.
 */
public interface MasterFeed {

  /** A request has run, and counts. */
  void ran(Args request);

  /** The request that has just run ended by an error. */
  void failed(String error);
}
