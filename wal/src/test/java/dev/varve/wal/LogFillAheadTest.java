package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.FailingStorageDirectory.Kind;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class LogFillAheadTest extends LogFixture {
  @Test
  void zeroesGoAheadOfRecordsAndAreCutAtTheEnd() throws IOException {
    int ahead = 8_000;
    try (Log log = Records.newLog(directory, ahead)) {
      long before = 0;
      for (int i = 0; i < 100; i++) {
        append(log, i);
        log.write();
        long end = RecordFileFormat.HEADER_BYTES + log.writtenPosition();
        long length = length(1);
        assertTrue(length >= end + ahead / 4 && length <= end + ahead, end + " of " + length);
        assertTrue(length == before || length >= before + ahead / 2, "once for many records");
        before = length;
      }
    }
    long mark = RecordFileFormat.RECORD_HEADER_BYTES;
    assertEquals(RecordFileFormat.HEADER_BYTES + written() + mark, length(1), "no zeroes");
  }

  @Test
  void muchAtOnceIsWrittenOnce() throws IOException {
    try (Log log = Records.newLog(directory, 1 << 20)) {
      byte[] record = Records.payload(1, RecordFileWriter.AHEAD_WRITE_BYTES_MAX);
      log.append(record, 0, record.length);
      log.write();
      assertEquals(RecordFileFormat.HEADER_BYTES + log.writtenPosition(), length(1));
    }
  }

  private long written() throws IOException {
    long bytes = 0;
    for (byte[] record : Records.replayAll(directory, 1)) {
      bytes += RecordFileFormat.RECORD_HEADER_BYTES + record.length;
    }
    return bytes;
  }

  @Test
  void whereThereIsNoRoomForZeroesThereMayBeForRecords() throws IOException {
    try (Log log = Records.newLog(directory, 8_000)) {
      directory.failCall(Kind.WRITE, 2, FULL);
      for (int i = 0; i < 100; i++) {
        append(log, i);
        log.write();
      }
      assertTrue(length(1) > RecordFileFormat.HEADER_BYTES + log.writtenPosition(), "tried again");
    }
    assertEquals(100, Records.replayAll(directory, 1).size());
  }

  private long length(long segment) throws IOException {
    try (StorageFile file = directory.open(LogFormat.fileName(segment))) {
      return file.length();
    }
  }
}
