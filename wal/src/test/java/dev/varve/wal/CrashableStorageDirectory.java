package dev.varve.wal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A directory in memory that knows what a device would have after power loss: synced content and
 * synced directory entries for sure, of everything else any part, in sectors of 512 bytes and in no
 * particular order, torn sectors among them.
 *
 * <p>Safe for use by several threads.
 */
public final class CrashableStorageDirectory implements StorageDirectory {

  /** A change of the directory that is not durable yet. */
  private record EntryChange(
      @Nullable String removed, @Nullable String added, CrashableFile file) {}

  private final Map<String, CrashableFile> entries = new TreeMap<>();
  private final Map<String, CrashableFile> durableEntries = new TreeMap<>();
  private final List<EntryChange> unsyncedEntries = new ArrayList<>();
  private boolean locked;
  private long changeCalls;
  private long crashAtCall = -1;
  private @Nullable Random crashRandom;
  private @Nullable String failingSync;
  private boolean dead;

  /** What a call that was running when the machine stopped had done by then. */
  private enum Extent {
    NOTHING,
    PART,
    ALL
  }

  /**
   * Lets the machine stop inside the {@code calls}-th changing call from now on (create, rename,
   * delete, write, truncate, any sync; 1 is the next one): nothing, a part or all of it happens,
   * and {@link SimulatedCrash} is thrown there and by every later call.
   */
  public synchronized void crashAtCall(long calls, Random random) {
    crashAtCall = changeCalls + calls;
    crashRandom = random;
  }

  /**
   * Lets the next sync of that file fail, and what was to be synced never get to the device: it is
   * seen until the power fails, and later syncs say nothing of it.
   */
  public synchronized void failSync(String name) {
    failingSync = name;
  }

  /** How many changing calls there were. */
  public synchronized long changeCalls() {
    return changeCalls;
  }

  /**
   * Power loss: the directory as it is found afterwards, unlocked. Of unsynced sectors and
   * directory entries each survives with the probability {@code keepFraction}; 0 keeps the synced
   * ones only. This directory is dead from now on.
   */
  public synchronized CrashableStorageDirectory crash(Random random, double keepFraction) {
    dead = true;
    CrashableStorageDirectory found = new CrashableStorageDirectory();
    Map<String, CrashableFile> survivors = new TreeMap<>(durableEntries);
    for (EntryChange change : unsyncedEntries) {
      if (random.nextDouble() < keepFraction) {
        apply(change, survivors);
      }
    }
    Map<CrashableFile, CrashableFile> contents = new IdentityHashMap<>();
    survivors.forEach(
        (name, file) ->
            found.entries.put(
                name, contents.computeIfAbsent(file, f -> f.survivor(random, keepFraction))));
    found.durableEntries.putAll(found.entries);
    return found;
  }

  /**
   * The process was killed and the machine lives: the same files, unlocked, with their unsynced
   * changes still unsynced. This directory is dead from now on.
   */
  public synchronized CrashableStorageDirectory kill() {
    dead = true;
    CrashableStorageDirectory found = new CrashableStorageDirectory();
    found.entries.putAll(entries);
    found.durableEntries.putAll(durableEntries);
    found.unsyncedEntries.addAll(unsyncedEntries);
    return found;
  }

  /** A copy of a file's content, for tests that look at or damage bytes. */
  public synchronized byte[] content(String name) throws IOException {
    return find(name).content();
  }

  /** Replaces or creates a file with that content, durably. */
  public synchronized void setContent(String name, byte[] content) {
    CrashableFile file = new CrashableFile();
    file.write(0, content.clone());
    file.sync();
    entries.put(name, file);
    durableEntries.put(name, file);
  }

  private static void apply(EntryChange change, Map<String, CrashableFile> entries) {
    // A rename whose source did not make it, or is another file by then, leaves all as it was.
    if (change.removed() != null && !entries.remove(change.removed(), change.file())) {
      return;
    }
    if (change.added() != null) {
      entries.put(change.added(), change.file());
    }
  }

  private void change(EntryChange change) {
    apply(change, entries);
    unsyncedEntries.add(change);
  }

  private void checkAlive() {
    if (dead) {
      throw new SimulatedCrash("the machine is down");
    }
  }

  /** Counts one changing call. Anything but ALL means: do that much, then {@link #stop}. */
  private @Nullable Extent countCall() {
    checkAlive();
    changeCalls++;
    if (changeCalls != crashAtCall || crashRandom == null) {
      return null;
    }
    return Extent.values()[crashRandom.nextInt(Extent.values().length)];
  }

  private SimulatedCrash stop(String where) {
    dead = true;
    return new SimulatedCrash(where);
  }

  private CrashableFile find(String name) throws IOException {
    CrashableFile file = entries.get(name);
    if (file == null) {
      throw new NoSuchFileException(name);
    }
    return file;
  }

  @Override
  public String path() {
    return "(memory)";
  }

  @Override
  public synchronized StorageFile create(String name) throws IOException {
    Extent extent = countCall();
    if (entries.containsKey(name)) {
      throw new FileAlreadyExistsException(name);
    }
    CrashableFile file = new CrashableFile();
    if (extent != Extent.NOTHING) {
      change(new EntryChange(null, name, file));
    }
    if (extent != null) {
      throw stop("create " + name);
    }
    return new Handle(name, file, true);
  }

  @Override
  public synchronized StorageFile open(String name) throws IOException {
    checkAlive();
    return new Handle(name, find(name), true);
  }

  @Override
  public synchronized StorageFile openReadOnly(String name) throws IOException {
    checkAlive();
    return new Handle(name, find(name), false);
  }

  @Override
  public synchronized List<String> list() {
    checkAlive();
    return new ArrayList<>(entries.keySet());
  }

  @Override
  public synchronized boolean exists(String name) {
    checkAlive();
    return entries.containsKey(name);
  }

  @Override
  public synchronized void rename(String source, String target) throws IOException {
    Extent extent = countCall();
    CrashableFile file = find(source);
    if (extent != Extent.NOTHING) {
      change(new EntryChange(source, target, file));
    }
    if (extent != null) {
      throw stop("rename " + source);
    }
  }

  @Override
  public synchronized void delete(String name) {
    Extent extent = countCall();
    CrashableFile file = entries.get(name);
    if (extent != Extent.NOTHING && file != null) {
      change(new EntryChange(name, null, file));
    }
    if (extent != null) {
      throw stop("delete " + name);
    }
  }

  @Override
  public synchronized void sync() {
    Extent extent = countCall();
    if (extent == null || extent == Extent.ALL) {
      durableEntries.clear();
      durableEntries.putAll(entries);
      unsyncedEntries.clear();
    }
    if (extent != null) {
      throw stop("sync of the directory");
    }
  }

  @Override
  public long usableBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public synchronized void lock() throws IOException {
    checkAlive();
    if (locked) {
      throw new DirectoryLockedException(path());
    }
    locked = true;
  }

  @Override
  public synchronized void close() {
    locked = false;
  }

  /** An open file. */
  private final class Handle implements StorageFile {
    private final String name;
    private final CrashableFile file;
    private final boolean writable;
    private boolean closed;

    Handle(String name, CrashableFile file, boolean writable) {
      this.name = name;
      this.file = file;
      this.writable = writable;
    }

    @Override
    public String name() {
      return name;
    }

    private void checkOpen() throws IOException {
      checkAlive();
      if (closed) {
        throw new IOException("file " + name + " is closed");
      }
    }

    private void checkWritable() throws IOException {
      checkOpen();
      if (!writable) {
        throw new IOException("file " + name + " is open for reading only");
      }
    }

    @Override
    public long length() throws IOException {
      synchronized (CrashableStorageDirectory.this) {
        checkOpen();
        return file.length();
      }
    }

    @Override
    public void readFully(ByteBuffer target, long position) throws IOException {
      synchronized (CrashableStorageDirectory.this) {
        checkOpen();
        if (position + target.remaining() > file.length()) {
          throw new EOFException("file " + name + " ends at " + file.length());
        }
        byte[] bytes = new byte[target.remaining()];
        file.read(Math.toIntExact(position), bytes);
        target.put(bytes);
      }
    }

    @Override
    public void writeFully(ByteBuffer source, long position) throws IOException {
      synchronized (CrashableStorageDirectory.this) {
        checkWritable();
        Extent extent = countCall();
        int all = source.remaining();
        int wanted = all;
        if (extent == Extent.NOTHING) {
          wanted = 0;
        } else if (extent == Extent.PART && crashRandom != null) {
          wanted = crashRandom.nextInt(all + 1);
        }
        if (wanted > 0) {
          byte[] bytes = new byte[wanted];
          source.get(bytes);
          file.write(Math.toIntExact(position), bytes);
        }
        if (extent != null) {
          throw stop("write of " + name);
        }
      }
    }

    @Override
    public void truncate(long length) throws IOException {
      synchronized (CrashableStorageDirectory.this) {
        checkWritable();
        Extent extent = countCall();
        if (extent != Extent.NOTHING) {
          file.truncate(Math.toIntExact(length));
        }
        if (extent != null) {
          throw stop("truncate of " + name);
        }
      }
    }

    @Override
    public void sync() throws IOException {
      synchronized (CrashableStorageDirectory.this) {
        checkOpen();
        Extent extent = countCall();
        if (name.equals(failingSync)) {
          failingSync = null;
          file.loseUnsynced();
          throw new IOException("Input/output error");
        }
        if (extent == null || extent == Extent.ALL) {
          file.sync();
        } else if (extent == Extent.PART && crashRandom != null) {
          file.syncSome(crashRandom);
        }
        if (extent != null) {
          throw stop("sync of " + name);
        }
      }
    }

    @Override
    public void close() {
      synchronized (CrashableStorageDirectory.this) {
        closed = true;
      }
    }
  }
}
