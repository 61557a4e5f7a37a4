package dev.varve.lsm;

import dev.varve.lsm.memtable.Memtable;
import dev.varve.lsm.memtable.MemtableMemory;
import dev.varve.lsm.table.BlockCache;
import dev.varve.lsm.table.TableReader;
import dev.varve.lsm.version.Manifest;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.TreeShape;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import dev.varve.wal.LogFormat;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.SyncedPoint;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tree's current state and how one state follows another: what flush and compaction install
 * tables by.
 *
 * <p>Public methods are for worker threads and wait for the disk, but for {@link #version}.
 */
public final class TreeTables implements Closeable {
  /*
   * Two locks. The installation lock is held while an edit is made durable, so edits queue up behind
   * a sync. The state lock is held only while one state is swapped for the next; it is all that the
   * writer ever waits for, when it rotates. Order: installation lock before state lock.
   *
   * The manifest must never be ahead of memory, or a memtable would be flushed twice and counted
   * twice. So the state that an edit leads to is made before the edit is written, and what happens
   * once it is in force allocates nothing: it cannot fail. A rotation meanwhile makes it anew.
   */

  private static final long ROOM_MILLIS = 100;

  private final StorageDirectory directory;
  private final TreeOptions options;
  private final Manifest manifest;
  private final BlockCache cache;
  private final MemtableMemory memtables;
  private final OpenTables open = new OpenTables();
  private final ObsoleteTables obsolete;
  private final PassTables passes;
  private final DamageMet damage = new DamageMet();
  private final Object installing = new Object();
  private final Object swapping = new Object();

  private volatile TreeState state;
  private volatile TreeShape shape;

  /**
   * What the state is to be once the edit is in force that is being installed; null while none is.
   * Guarded by swapping.
   */
  private @Nullable TreeState upcoming;

  /**
   * Opens all tables of the manifest's version. {@link #close} closes all that is handed in; should
   * this fail, that stays the caller's, and nothing is left open.
   */
  TreeTables(
      StorageDirectory directory,
      TreeOptions options,
      Manifest manifest,
      BlockCache cache,
      MemtableMemory memtables)
      throws IOException {
    this.directory = directory;
    this.options = options;
    this.manifest = manifest;
    this.cache = cache;
    this.memtables = memtables;
    this.obsolete = new ObsoleteTables(directory);
    this.shape = manifest.shape();
    this.passes =
        new PassTables(this, open, directory, options, cache, obsolete, shape.nextTableNumber());
    try {
      for (TableMeta table : shape.version().tables()) {
        openTable(table);
      }
      this.state = firstState();
    } catch (IOException | RuntimeException | Error e) {
      open.closeAll();
      throw e;
    }
  }

  private TreeState firstState() {
    Memtable table = newMemtable();
    try {
      MemtableSlot active =
          new MemtableSlot(table, shape.oldestLogSegment(), shape.flushedThroughSequence());
      return newState(active, List.of(), shape.version());
    } finally {
      table.release();
    }
  }

  // ---- for the tree -----------------------------------------------------------------------------

  /** The current one. Any thread; who looks at it for longer retains it, or {@link #hold}s one. */
  TreeState state() {
    return state;
  }

  /** The same with a reference, which the caller releases. Any thread. */
  TreeState hold() {
    TreeState held = state;
    // It cannot go away while it is current, but another may take its place before it is retained.
    while (!held.tryRetain()) {
      held = state;
    }
    return held;
  }

  /** What the manifest says. Any thread. */
  TreeShape shape() {
    return shape;
  }

  /** What the manifest says, and a state of that very version, which the caller releases. */
  record HeldShape(TreeShape shape, TreeState state) {}

  HeldShape holdShape() {
    synchronized (installing) {
      return new HeldShape(shape, hold());
    }
  }

  /** An empty one, which belongs to the caller. */
  Memtable newMemtable() {
    return new Memtable(memtables);
  }

  MemtableSlot active() {
    return state.active();
  }

  int immutableCount() {
    return state.immutableCount();
  }

  /** The one to be flushed next, or null. */
  @Nullable MemtableSlot oldestImmutable() {
    List<MemtableSlot> immutables = state.immutables();
    return immutables.isEmpty() ? null : immutables.get(immutables.size() - 1);
  }

  /**
   * Puts a fresh memtable in the active one's place. Takes over its first reference, also when it
   * fails: nothing has changed then.
   */
  void rotate(MemtableSlot fresh) {
    try {
      synchronized (swapping) {
        TreeState rotated = rotated(state, fresh);
        TreeState ready = upcoming;
        if (ready != null) {
          try {
            upcoming = rotated(ready, fresh);
          } catch (RuntimeException | Error e) {
            rotated.release();
            throw e;
          }
          ready.release();
        }
        swap(rotated);
      }
    } finally {
      fresh.table().release();
    }
  }

  private TreeState rotated(TreeState last, MemtableSlot fresh) {
    List<MemtableSlot> immutables = new ArrayList<>();
    immutables.add(last.active());
    immutables.addAll(last.immutables());
    return newState(fresh, immutables, last.version());
  }

  /** Installs what a flush wrote of {@code flushed}, and lets go of that memtable. */
  void installFlush(MemtableSlot flushed, VersionEdit edit) throws IOException {
    install(edit, flushed);
  }

  /** The first log segment that is needed once {@code flushed} is in a table. */
  long firstLogSegmentAfter(MemtableSlot flushed) {
    // Read once: a rotation in between would pass over the memtable that it has made immutable.
    TreeState now = state;
    List<MemtableSlot> immutables = now.immutables();
    int at = immutables.indexOf(flushed);
    MemtableSlot next = at == 0 ? now.active() : immutables.get(at - 1);
    return next.firstLogSegment();
  }

  /** As {@link ObsoleteTables#delete}. */
  @Nullable IOException deleteObsolete() {
    return obsolete.delete();
  }

  /** As {@link LsmTree#pressure}. */
  double pressure() {
    return WritePressure.of(state, options);
  }

  /**
   * Whether the flush of the oldest memtable should not be let wait: another is behind it, or
   * writers are slowed.
   */
  boolean isFlushAwaited() {
    return state.immutableCount() > 1 || pressure() > 0;
  }

  /** Waits for a while if the pressure is full, less if something is installed meanwhile. */
  void awaitRoom() throws IOException {
    synchronized (swapping) {
      if (pressure() < 1) {
        return;
      }
      try {
        swapping.wait(ROOM_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for flush and compaction", interrupted);
      }
    }
  }

  BlockCache cache() {
    return cache;
  }

  long corruptBlocks() {
    return damage.count();
  }

  /**
   * As {@link Manifest#seal}; that it fails, on a full disk for example, is no error.
   *
   * @throws IOException when files are gone that only the tree may delete; nothing is sealed then
   */
  void seal(SyncedPoint logEnd) throws IOException {
    synchronized (installing) {
      requireFiles(logEnd);
      try {
        manifest.seal(logEnd);
      } catch (IOException unsealed) {
        // All is durable: the next start only judges it as it does after a crash.
      }
    }
  }

  /** An open file outlives its name, so nothing else tells that the directory was deleted. */
  private void requireFiles(SyncedPoint logEnd) throws IOException {
    List<String> names = new ArrayList<>(manifest.files());
    for (TableMeta table : manifest.shape().version().tables()) {
      names.add(table.fileName());
    }
    if (logEnd.file() > 0) {
      names.add(LogFormat.fileName(logEnd.file()));
    }
    List<String> gone = new ArrayList<>();
    for (String name : names) {
      if (!directory.exists(name)) {
        gone.add(name);
      }
    }
    if (!gone.isEmpty()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "of the %d files of %s %d are gone, %s for one: they were deleted while it was open",
              names.size(),
              directory.path(),
              gone.size(),
              gone.get(0)));
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (installing) {
      synchronized (swapping) {
        state.release();
      }
      obsolete.close();
      cache.close();
      memtables.close();
      manifest.close();
    }
  }

  // ---- for passes -------------------------------------------------------------------------------

  /** The tables and their levels as of now. */
  public Version version() {
    return state.version();
  }

  /** What passes read and write of them. */
  public PassTables forPasses() {
    return passes;
  }

  /** Makes the names of finished tables survive power loss: before {@link #install}. */
  public void syncDirectory() throws IOException {
    directory.sync();
  }

  /**
   * Puts an edit in force: durable when this returns, and seen by every snapshot taken later. Files
   * of tables that leave are deleted by a later {@link LsmTree#maintain}, once nobody reads them.
   *
   * <p>When it fails nothing has changed for this process, and the files of the edit's tables are
   * no longer the caller's: they are deleted, or if the edit may be in force after a restart, once
   * a later one has settled that it is not.
   *
   * @param edit moves tables only: what a batch adds to counters its flush brings
   * @throws IOException when the device fails
   */
  public void install(VersionEdit edit) throws IOException {
    install(edit, null);
  }

  /**
   * Deletes the file of a table that will not be installed; should that fail, it is tried later.
   */
  public void discard(TableMeta table) throws IOException {
    cache.forget(table.number());
    obsolete.delete(table);
  }

  /** The same for all that something that failed has left; should that fail, it is tried later. */
  void discardAfter(Throwable failure, List<TableMeta> tables) {
    for (TableMeta table : tables) {
      cache.forget(table.number());
    }
    obsolete.deleteAfter(failure, tables);
  }

  // ---- inside -----------------------------------------------------------------------------------

  /**
   * Puts an edit in force, as {@link #install(VersionEdit)} says, with what was flushed for it.
   *
   * @param flushed what the edit's tables were written from, or null: it leaves the state with it
   */
  private void install(VersionEdit edit, @Nullable MemtableSlot flushed) throws IOException {
    synchronized (installing) {
      List<TableMeta> joining = joining(edit);
      TreeShape next;
      try {
        next = shape.apply(edit);
        for (TableMeta table : joining) {
          openTable(table);
        }
        getReady(next.version(), flushed);
        manifest.append(edit, next);
      } catch (IOException | RuntimeException | Error e) {
        giveUp(edit, joining, e);
        throw e;
      }
      shape = next;
      obsolete.settleDoubt();
      takeUpcoming();
    }
    options.onWork().run();
  }

  /** Makes the state that the edit leads to: all that may fail comes before it is written. */
  private void getReady(Version version, @Nullable MemtableSlot flushed) {
    synchronized (swapping) {
      List<MemtableSlot> immutables = new ArrayList<>(state.immutables());
      immutables.remove(flushed);
      upcoming = newState(state.active(), immutables, version);
    }
  }

  /** Puts it in the current one's place. Cannot fail, for it allocates nothing. */
  private void takeUpcoming() {
    synchronized (swapping) {
      swap(Objects.requireNonNull(upcoming));
      upcoming = null;
      swapping.notifyAll();
    }
  }

  /** All is as before the edit; where it may be in force after a restart its files are left. */
  private void giveUp(VersionEdit edit, List<TableMeta> joining, Throwable failure) {
    TreeState unused;
    synchronized (swapping) {
      // First, or a rotation right now would make it anew, with tables that are not there any more.
      unused = upcoming;
      upcoming = null;
    }
    // Before the state that has them, or they would be taken for tables that have left the tree.
    for (TableMeta table : joining) {
      open.drop(table.number());
    }
    if (unused != null) {
      unused.release();
    }
    if (manifest.isInDoubt(edit)) {
      obsolete.leaveInDoubt(joining);
    } else {
      // Or each try would leave others.
      discardAfter(failure, joining);
    }
  }

  /** The tables that the edit adds to the tree. */
  private static List<TableMeta> joining(VersionEdit edit) {
    List<TableMeta> joining = new ArrayList<>();
    for (int level = 0; level < Version.LEVELS; level++) {
      for (TableMeta table : edit.addedTables(level)) {
        if (!isMoved(edit, table)) {
          joining.add(table);
        }
      }
    }
    return joining;
  }

  /** Whether the table only goes to another level. */
  private static boolean isMoved(VersionEdit edit, TableMeta table) {
    for (int level = 0; level < Version.LEVELS; level++) {
      if (edit.deletedTables(level).contains(table.number())) {
        return true;
      }
    }
    return false;
  }

  private void openTable(TableMeta table) throws IOException {
    open.add(TableReader.open(directory, table, options.keyOrder(), cache, damage));
  }

  private TreeState newState(MemtableSlot active, List<MemtableSlot> immutables, Version version) {
    return new TreeState(active, immutables, version, open, obsolete);
  }

  private void swap(TreeState next) {
    TreeState last = state;
    state = next;
    last.release();
  }
}
