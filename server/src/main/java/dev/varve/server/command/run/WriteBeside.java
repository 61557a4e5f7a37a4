package dev.varve.server.command.run;

import dev.varve.codec.Transaction;
import dev.varve.server.engine.Engine;
import org.jspecify.annotations.Nullable;

/**
 * What a command that takes long wrote, on its way into the engine beside the keyspace loop: begun
 * there ({@link Keyspace#beginBeside}), written by another thread, and taken back there.
 */
final class WriteBeside implements Runnable {
  private final Engine engine;
  private final Transaction transaction;
  private final long sequence;
  private volatile @Nullable Throwable failure;

  /**
   * @param sequence the number that the write gets
   */
  WriteBeside(Engine engine, Transaction transaction, long sequence) {
    this.engine = engine;
    this.transaction = transaction;
    this.sequence = sequence;
  }

  /** Writes it. Any thread. */
  @Override
  public void run() {
    try {
      engine.writeLent(transaction.batch());
    } catch (RuntimeException | OutOfMemoryError its) {
      // Whoever waits for it is told on the keyspace loop.
      failure = its;
    }
  }

  /** Whether it is this transaction that was written. */
  boolean isOf(Transaction its) {
    return its == transaction;
  }

  /** The number that the write got; throws what it failed of. */
  long written() {
    Throwable its = failure;
    if (its instanceof RuntimeException problem) {
      throw problem;
    }
    if (its instanceof OutOfMemoryError problem) {
      throw problem;
    }
    return sequence;
  }
}
