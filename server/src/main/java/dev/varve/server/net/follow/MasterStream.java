package dev.varve.server.net.follow;

import dev.varve.codec.MasterPosition;
import dev.varve.codec.store.StoreBatch;
import dev.varve.server.command.MasterFeed;
import dev.varve.server.command.Session;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.run.Following;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a master writes, as it is carried out here: counted in bytes, which is how both sides say
 * how far that is, and handed on to who follows this server.
 *
 * <p>Keyspace loop, but that a worker which carries out what takes long tells what it writes and
 * whether it fails: meanwhile nothing here changes.
 */
final class MasterStream implements MasterFeed {
  private static final Logger LOG = LoggerFactory.getLogger(MasterStream.class);

  private static final int LINE_END_BYTES = 2;
  private static final int UNKNOWN = -1;
  private static final int BYTES_KEPT = 64 << 10;

  private final Keyspace keyspace;
  private final Session session;

  /** Requests between MULTI and EXEC count with that. */
  private long queuedBytes;

  /** These, for who follows this server. */
  private final RespEncoder queued = new RespEncoder();

  /** Those that have been carried out and changed nothing are stored with the next that does. */
  private long unstoredBytes;

  /** The database as it is stored; before the first write nothing is known to be. */
  private int storedDatabase = UNKNOWN;

  /** Whether the request that runs now is stored with what it changes. */
  private boolean isStored;

  /** Whether one was not carried out that might be later. */
  private boolean isCutOff;

  MasterStream(Keyspace keyspace, Session session) {
    this.keyspace = keyspace;
    this.session = session;
  }

  @Override
  public void writes(Args request, StoreBatch batch) {
    Following following = keyspace.following();
    long bytes = queuedBytes + sentBytes(request);
    String history = following.replicationId();
    if (storedDatabase != UNKNOWN) {
      MasterPosition.advance(batch, unstoredBytes + bytes, session.database() - storedDatabase);
    } else if (history != null) {
      new MasterPosition(history, following.offset() + bytes, session.database())
          .store(batch, keyspace.engine().store());
    }
    isStored = true;
  }

  @Override
  public void ran(Args request) {
    if (isCutOff) {
      return;
    }
    queuedBytes += sentBytes(request);
    queue(request);
    if (session.queue().isOpen()) {
      return;
    }
    keyspace.following().advance(queuedBytes, session.database());
    keyspace.leading().stream().handOn(queued, session.database());
    queued.clear(BYTES_KEPT);
    if (isStored) {
      unstoredBytes = 0;
      storedDatabase = session.database();
      isStored = false;
    } else {
      unstoredBytes += queuedBytes;
    }
    queuedBytes = 0;
  }

  @Override
  public void failed(String error) {
    if (!keyspace.takesWrites()) {
      notCarriedOut(error);
      return;
    }
    // Nothing was written.
    isStored = false;
    long failures = keyspace.following().failed();
    if (Long.bitCount(failures) == 1) {
      LOG.error("a request of the master ended by an error, the {}. so far: {}", failures, error);
    }
  }

  @Override
  public void notCarriedOut(String error) {
    isStored = false;
    // What is not counted is asked for again.
    isCutOff = true;
    if (keyspace.takesWrites()) {
      keyspace.following().notCarriedOut();
    }
    session.close();
    LOG.error("a request of the master was not carried out, and is asked for again: {}", error);
  }

  /** It is handed on as it was on its way. */
  private void queue(Args request) {
    ReplicationStream stream = keyspace.leading().stream();
    if (!stream.isOn()) {
      return;
    }
    try {
      queued.array(request.count());
      for (int i = 0; i < request.count(); i++) {
        queued.bulk(request.get(i));
      }
    } catch (OutOfMemoryError noRoom) {
      stream.cannotTell(noRoom);
      queued.clear(0);
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
