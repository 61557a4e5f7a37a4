package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;

/** A table and the level it stands at. Immutable. */
record PlacedTable(int level, TableMeta table) {}
