package dev.varve.server.command.run;

import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreChanges;
import dev.varve.codec.store.StoreView;
import dev.varve.server.engine.Engine;

/**
 * The store as a worker has it: it reads, and a command that would write finds everything it needs
 * for a trial.
 *
 * <p>Any thread.
 */
public final class WorkerStore implements Store {
  /*
   * A trial's new versions are thrown away with it. They lie above all real ones, so that a look at
   * one finds nothing.
   */
  private static final long TRIAL_SEQUENCE = Long.MAX_VALUE / 2;

  private final Engine engine;
  private final long nextSequence;

  public WorkerStore(Engine engine) {
    this(engine, TRIAL_SEQUENCE);
  }

  /**
   * For a run that counts: nobody else writes before what it wrote is applied.
   *
   * @param nextSequence the number that its batch will begin with
   */
  public WorkerStore(Engine engine, long nextSequence) {
    this.engine = engine;
    this.nextSequence = nextSequence;
  }

  @Override
  public StoreView view() {
    return engine.blockingView();
  }

  @Override
  public StoreView writerView() {
    return engine.blockingView();
  }

  @Override
  public long nextSequence() {
    return nextSequence;
  }

  @Override
  public void write(StoreChanges changes) {
    throw new UnsupportedOperationException("a worker does not write");
  }

  @Override
  public long counter(long id) {
    return engine.store().counter(id);
  }
}
