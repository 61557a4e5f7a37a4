package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ProcessUseTest {
  @TempDir Path process;

  private void write(String stat, String status) throws IOException {
    Files.writeString(process.resolve("stat"), stat);
    Files.writeString(process.resolve("status"), status);
  }

  @Test
  void systemTimeIsTheFifteenthWordAndResidentMemoryInKib() throws IOException {
    write(
        "71 (a (b) c) S 1 71 71 0 -1 4194560 10 20 30 40 500 250 7 8 20 0 42\n",
        "Name:\ta (b) c\nVmPeak:\t  9999 kB\nVmRSS:\t  2048 kB\nThreads:\t42\n");
    assertEquals(Optional.of(new ProcessUse(2.5, 2 << 20)), ProcessUse.of(process));
  }

  @Test
  void filesThatSayNothingTellNothing() throws IOException {
    assertEquals(Optional.empty(), ProcessUse.of(process));
    write("71 (x) S 1", "VmRSS:\t2048 kB\n");
    assertEquals(Optional.empty(), ProcessUse.of(process));
    write("71 (x) S 1 71 71 0 -1 4194560 10 20 30 40 500 250 7", "Name:\tx\n");
    assertEquals(Optional.empty(), ProcessUse.of(process));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void thisProcessHasMemory() {
    assertTrue(ProcessUse.now().orElseThrow().residentBytes() > 1 << 20);
  }
}
