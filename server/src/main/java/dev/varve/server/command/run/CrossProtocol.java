package dev.varve.server.command.run;

import dev.varve.server.command.Session;
import dev.varve.server.resp.Args;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests of another protocol: a web page can make a browser send them to a server that is meant
 * for its owner alone, with commands in their body. As in Redis, the connection that brings one is
 * closed before it comes to those (<a href="https://redis.io/docs/management/security/">redis.io,
 * security</a>).
 */
final class CrossProtocol {
  private static final Logger LOG = LoggerFactory.getLogger(CrossProtocol.class);

  private CrossProtocol() {}

  /** Whether a request that is no command is a line of HTTP. */
  static boolean isHttp(Args args) {
    return args.is(0, "POST") || args.is(0, "HOST:");
  }

  /** Ends the connection of a client that sends such lines. */
  static void refuse(Session session) {
    LOG.warn("client {} speaks HTTP, perhaps on behalf of a web page: closed", session.address());
    session.close();
  }
}
