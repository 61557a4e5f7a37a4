package dev.varve.perf.engine;

import java.util.Locale;

/** What some workloads measure besides their rate; less is better in all of them. */
enum Figure {
  /** Bytes written by system calls, until all is settled, for each byte of key and value put. */
  WRITE_AMPLIFICATION,
  /** Bytes read by system calls for each byte of key and value found. */
  READ_AMPLIFICATION,
  /** Bytes on disk for each byte of what a reader sees. */
  SPACE_AMPLIFICATION,
  /** Disk some seconds after the workload, over the disk when all is compacted. */
  DISK_OVER_COMPACTED,
  /** How long the first seek took, some seconds after a deletion. */
  FIRST_SEEK_MILLIS,
  /** How long opening took. */
  RECOVERY_SECONDS;

  /** Its name for machines. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
