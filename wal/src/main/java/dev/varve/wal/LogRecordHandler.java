package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Receives the records of a log in the order they were appended. */
@FunctionalInterface
public interface LogRecordHandler {

  /**
   * One record.
   *
   * @param segmentNumber the segment that holds it
   * @param offset where in the segment's file it begins
   * @param payload from 0 to its limit, direct and big-endian; valid only during this call
   */
  void record(long segmentNumber, long offset, ByteBuffer payload) throws IOException;
}
