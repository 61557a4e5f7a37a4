package dev.varve.server.command.listen;

import dev.varve.codec.Databases;
import dev.varve.codec.Transaction;

/**
 * Is told of every change of a key, all of which pass {@link
 * dev.varve.server.command.run.Keyspace#apply}. Keyspace loop.
 */
public interface ChangeListener {

  /** Whether it wants to know at all: events are only gathered when somebody does. */
  boolean isListening();

  /**
   * {@code transaction} was applied, with the events in it.
   *
   * @param before the mapping of database numbers before it
   */
  void changed(Transaction transaction, Databases before);

  /**
   * Anything may be another than it was, though no transaction has been applied: what could not be
   * committed, and was not shown, is shown from now on.
   */
  default void anythingChanged() {}
}
