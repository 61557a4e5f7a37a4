package dev.varve.compaction;

/** A mistake that an engine could make, played by the directory under it. */
enum PlantedBug {
  NONE,
  DIRECTORY_NOT_SYNCED_AFTER_CREATE,
  DIRECTORY_NOT_SYNCED_AFTER_RENAME,
  LOG_DELETED_TOO_EARLY,
  LOG_NOT_SYNCED,
  TABLE_NOT_SYNCED,
  MANIFEST_EDIT_NOT_SYNCED,
  CURRENT_NOT_SYNCED,
  RECORD_CHECKSUM_IGNORED,
  BLOCK_CHECKSUM_IGNORED
}
