package dev.varve.compaction;

/** Why a plan was chosen. Shown in the log. */
enum Reason {
  /** Whole tables died: they are deleted unread. */
  DEAD_TABLES,
  /** Somebody asked for the range. */
  REQUESTED,
  /** Level 0 has too many tables, or too much. */
  LEVEL_ZERO,
  /** Level 0 has many small tables: they become one before they are worth merging down. */
  SMALL_FLUSHES,
  /** A level is larger than its target. */
  LEVEL_SIZE,
  /** A good share of the input is dead. */
  DEAD_ENTRIES,
  /** Tombstones hide much of what lies below them. */
  TOMBSTONES,
  /** Nothing is written, and the upper levels repeat much of what the deepest holds. */
  QUIET;

  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
  }
}
