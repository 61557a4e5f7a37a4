package dev.varve.wal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What Linux counts of a process in {@code /proc/PID/stat} and {@code status}. Immutable.
 *
 * @param systemSeconds processor time in the kernel, in hundredths
 * @param residentBytes memory that is in RAM
 */
public record ProcessUse(double systemSeconds, long residentBytes) {
  private static final Path THIS_PROCESS = Path.of("/proc/self");
  private static final String RESIDENT = "VmRSS:";
  private static final int KIB = 1024;

  /** What counts as a second in {@code stat}, on every platform. */
  private static final double TICKS_PER_SECOND = 100;

  /** Of the words behind the name, which is in brackets and may have spaces. */
  private static final int SYSTEM_TICKS_WORD = 12;

  /** Of this process, since it began; nothing where the system does not tell. */
  public static Optional<ProcessUse> now() {
    return of(THIS_PROCESS);
  }

  /**
   * What a process has used since it began.
   *
   * @param process its directory below {@code /proc}
   * @return nothing when its files are not there, or say something else
   */
  static Optional<ProcessUse> of(Path process) {
    try {
      String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
      String[] words = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ");
      long ticks = Long.parseLong(words[SYSTEM_TICKS_WORD]);
      for (String line :
          Files.readAllLines(process.resolve("status"), StandardCharsets.ISO_8859_1)) {
        if (line.startsWith(RESIDENT)) {
          String kib = line.substring(RESIDENT.length()).replace("kB", "").trim();
          return Optional.of(new ProcessUse(ticks / TICKS_PER_SECOND, Long.parseLong(kib) * KIB));
        }
      }
      return Optional.empty();
    } catch (IOException | IndexOutOfBoundsException | NumberFormatException notTold) {
      return Optional.empty();
    }
  }
}
