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

  /** The request that has just run ended by an error, as it would at any other time. */
  void failed(String error);

  /**
   * The request could not be carried out here, for want of a disk or of memory: it is to come
   * again.
   */
  void notCarriedOut(String error);
}
