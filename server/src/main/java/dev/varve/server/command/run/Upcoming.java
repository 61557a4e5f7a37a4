package dev.varve.server.command.run;

import dev.varve.server.command.Session;

/** What a client has asked for and what will run next of it. */
public interface Upcoming {

  /** The client's. */
  Session session();

  /** In the order they will run in: {@code Args}, and what is no request. */
  Iterable<Object> requests();

  /** How many there are. */
  int count();
}
