/**
 * The shape of the tree: which tables stand at which level, how that changes, and where it is kept.
 *
 * <p>A {@link dev.varve.lsm.version.TableMeta} describes one SSTable. A {@link
 * dev.varve.lsm.version.Version} is an immutable picture of all of them; level 0 tables may overlap
 * and are ordered newest first, the tables of each deeper level are disjoint and ordered by key. A
 * {@link dev.varve.lsm.version.VersionEdit} turns one version into the next; the <b>manifest</b> is
 * the log of edits, and an edit is in force once it is synced there.
 *
 * <p>Thread rule: versions and what is known of tables never change, and any thread looks at them.
 * An edit is built by one thread. The manifest is for one thread at a time, which may wait for the
 * disk: the tree calls it under its installation lock.
 *
 * <p>Imports from {@code dev.varve.lsm.entry} and {@code dev.varve.wal}.
 */
@NullMarked
package dev.varve.lsm.version;

import org.jspecify.annotations.NullMarked;
