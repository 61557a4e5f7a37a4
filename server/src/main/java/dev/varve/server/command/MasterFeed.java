package dev.varve.server.command;

import dev.varve.codec.store.StoreBatch;
import dev.varve.server.resp.Args;

/**
 * Is told of the requests of the master: the server that this one follows.
 *
 * <p>Whoever has the turn of its session.
 */
public interface MasterFeed {

  /**
   * What a request has gathered is about to be written: what is to be stored with it goes into
   * {@code batch}.
   */
  void writes(Args request, StoreBatch batch);

  /** A request has run, and counts. */
  void ran(Args request);

  /** The request that has just run ended by an error. */
  void failed(String error);

  /** What the request has gathered could not be written here: it is to come again. */
  void notWritten(String error);
}
