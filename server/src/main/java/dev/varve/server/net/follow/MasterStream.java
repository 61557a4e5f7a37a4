package dev.varve.server.net.follow;

import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a master writes, as it is carried out here: counted in bytes, which is how both sides say
 * how far that is.
 *
 * <p>Keyspace loop.
 */
final class MasterStream implements MasterFeed {
  private static final Logger LOG = LoggerFactory.getLogger(MasterStream.class);

  private static final int LINE_END_BYTES = 2;

  private final Keyspace keyspace;
  private final Session session;

  /** Requests between MULTI and EXEC count with that. */
  private long queuedBytes;

  /** Whether one was not carried out that might be later. */
  private boolean isCutOff;

  MasterStream(Keyspace keyspace, Session session) {
    this.keyspace = keyspace;
    this.session = session;
  }

  @Override
  public void ran(Args request) {
    if (isCutOff) {
      return;
    }
    queuedBytes += sentBytes(request);
    if (!session.queue().isOpen()) {
      keyspace.following().advance(queuedBytes, session.database());
      queuedBytes = 0;
    }
  }

  @Override
  public void failed(String error) {
    if (!keyspace.takesWrites()) {
      // What is not counted is asked for again.
      isCutOff = true;
      session.close();
      LOG.error("a write of the master was refused, and is asked for again: {}", error);
      return;
    }
    long failures = keyspace.following().failed();
    if (Long.bitCount(failures) == 1) {
      LOG.error("a request of the master ended by an error, the {}. so far: {}", failures, error);
    }
  }

  /** How many bytes a request had on its way. */
  private static long sentBytes(Args request) {
    long bytes = headBytes(request.count());
    for (int i = 0; i < request.count(); i++) {
      int length = request.get(i).length;
      bytes += headBytes(length) + length + LINE_END_BYTES;
    }
    return bytes;
  }

  /** A letter, a number and the end of a line. */
  private static int headBytes(int number) {
    int digits = 1;
    for (int rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return 1 + digits + LINE_END_BYTES;
  }
}
