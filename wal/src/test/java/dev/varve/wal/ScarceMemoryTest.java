package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** No memory at the moment when a buffer is exchanged for one of another size. */
class ScarceMemoryTest {
  private static final RecordFileKind KIND = new RecordFileKind("TESTFILE", 3);
  private static final String NAME = "FILE-5";

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final ScarceMemory memory = new ScarceMemory();

  private byte[] writeLargeAndSmallRecord() throws IOException {
    byte[] large = Records.payload(1, RecordBuffer.RETAINED_BYTES_MAX + 1);
    try (RecordFileWriter writer =
        RecordFileWriter.create(directory, NAME, KIND, 5, memory, Records.salts())) {
      writer.append(large, 0, large.length);
      memory.runOutAfter(0);
      assertThrows(OutOfMemoryError.class, writer::write);
      memory.relax();
      writer.append(new byte[] {7}, 0, 1);
      writer.write();
      writer.sync();
    }
    return large;
  }

  @Test
  void whatCouldNotBeClearedIsWrittenAgainToTheSamePlace() throws IOException {
    byte[] large = writeLargeAndSmallRecord();
    try (RecordFileReader reader = RecordFileReader.open(directory, NAME, KIND, 5, memory)) {
      assertTrue(reader.next());
      assertArrayEquals(large, Records.copy(reader.payload()));
      assertTrue(reader.next());
      assertArrayEquals(new byte[] {7}, Records.copy(reader.payload()));
      assertFalse(reader.next());
    }
    assertEquals(0, memory.heldBytes());
  }

  @Test
  void aReaderWithoutMemoryForARecordGivesBackWhatItHas() throws IOException {
    writeLargeAndSmallRecord();
    try (RecordFileReader reader = RecordFileReader.open(directory, NAME, KIND, 5, memory)) {
      memory.runOutAfter(0);
      assertThrows(OutOfMemoryError.class, reader::next);
    }
    assertEquals(0, memory.heldBytes());
  }
}
