package dev.varve.server.command.run;

/** Which thread an executor serves. */
public enum Role {
  /** A loop that is not the keyspace loop: reads what is published. */
  READER,
  /** The keyspace loop: reads and writes everything. */
  WRITER,
  /**
   * A worker: may wait for the disk. A command that only reads is finished here; for one that
   * belongs on the keyspace loop this run is a trial, whose reply and writes are thrown away. Only
   * what takes long to write is run here for good, see {@link LongRun}.
   */
  WORKER;

  /** So many workers run requests at a time: so many reads the disk is asked for. */
  public static final int WORKERS_MAX = 32;
}
