package dev.varve.wal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Passes calls on to another directory, and fails chosen ones with a given IOException.
 *
 * <p>Safe for use by several threads.
 */
public final class FailingStorageDirectory implements StorageDirectory {

  /** The calls that can fail. */
  public enum Kind {
    CREATE,
    OPEN,
    LIST,
    RENAME,
    DELETE,
    SYNC_DIRECTORY,
    LENGTH,
    READ,
    WRITE,
    TRUNCATE,
    SYNC_FILE
  }

  /** One call: what, and of which file (empty for the directory itself). */
  public record Call(Kind kind, String file) {}

  private volatile StorageDirectory inner;
  private final List<String> openFiles = new ArrayList<>();
  private long calls;
  private Predicate<Call> chosen = call -> false;
  private long matchesLeft;
  private boolean keepsFailing;
  private boolean writesShort;
  private volatile Consumer<String> atClose = file -> {};
  private @Nullable IOException failure;

  public FailingStorageDirectory(StorageDirectory inner) {
    this.inner = inner;
  }

  /** Passes calls on to another directory from now on; what is to fail stays as it is. */
  public void become(StorageDirectory directory) {
    inner = directory;
  }

  /** How many calls there were. */
  public synchronized long calls() {
    return calls;
  }

  /** The names of those files that are open, one for each time. */
  public synchronized List<String> openFiles() {
    return List.copyOf(openFiles);
  }

  private synchronized void opened(String file) {
    openFiles.add(file);
  }

  private synchronized void closed(String file) {
    openFiles.remove(file);
  }

  /** Lets the {@code nth} call from now on fail (1 is the next one), whatever it is. */
  public void failCall(long nth, IOException failure) {
    failMatching(call -> true, nth, failure);
  }

  /** Lets the {@code nth} call of that kind from now on fail. */
  public void failCall(Kind kind, long nth, IOException failure) {
    failMatching(call -> call.kind() == kind, nth, failure);
  }

  /** Lets the {@code nth} call that matches fail, once. */
  public synchronized void failMatching(Predicate<Call> calls, long nth, IOException failure) {
    this.chosen = calls;
    this.matchesLeft = nth;
    this.keepsFailing = false;
    this.writesShort = false;
    this.failure = failure;
  }

  /** Lets {@code count} calls in a row fail, whatever they are, the first being the {@code nth}. */
  public synchronized void failCalls(long nth, long count, IOException failure) {
    long last = calls + nth + count - 1;
    failMatching(call -> calls() <= last, nth, failure);
    keepsFailing = true;
  }

  /** Lets every call that matches fail from now on, as on a full or broken disk. */
  public synchronized void failAll(Predicate<Call> calls, IOException failure) {
    failMatching(calls, 1, failure);
    keepsFailing = true;
  }

  /** Before a file is closed its name goes to {@code hook}, which may throw what it likes. */
  public void beforeClose(Consumer<String> hook) {
    atClose = hook;
  }

  /** Failing writes put half of their bytes into the file first. */
  public synchronized void writeShort() {
    writesShort = true;
  }

  /** All is well from now on. */
  public synchronized void heal() {
    failure = null;
  }

  /** The exception for this call, or null when it is to pass. */
  private @Nullable IOException count(Kind kind, String file) {
    Predicate<Call> asked;
    synchronized (this) {
      calls++;
      asked = chosen;
    }
    // Outside the lock, so that a test's predicate may hold this call back while others pass.
    if (!asked.test(new Call(kind, file))) {
      return null;
    }
    synchronized (this) {
      IOException now = failure;
      if (now == null || asked != chosen || --matchesLeft > 0) {
        return null;
      }
      if (keepsFailing) {
        // Each time another one, for one cannot be suppressed in itself.
        return new IOException(now.getMessage());
      }
      failure = null;
      return now;
    }
  }

  private void check(Kind kind, String file) throws IOException {
    IOException now = count(kind, file);
    if (now != null) {
      throw now;
    }
  }

  private synchronized boolean writesShortNow() {
    return writesShort;
  }

  @Override
  public String path() {
    return inner.path();
  }

  @Override
  public StorageFile create(String name) throws IOException {
    check(Kind.CREATE, name);
    return new Handle(inner.create(name));
  }

  @Override
  public StorageFile open(String name) throws IOException {
    check(Kind.OPEN, name);
    return new Handle(inner.open(name));
  }

  @Override
  public StorageFile openReadOnly(String name) throws IOException {
    check(Kind.OPEN, name);
    return new Handle(inner.openReadOnly(name));
  }

  @Override
  public List<String> list() throws IOException {
    check(Kind.LIST, "");
    return inner.list();
  }

  @Override
  public boolean exists(String name) throws IOException {
    return inner.exists(name);
  }

  @Override
  public void rename(String source, String target) throws IOException {
    check(Kind.RENAME, source);
    inner.rename(source, target);
  }

  @Override
  public void delete(String name) throws IOException {
    check(Kind.DELETE, name);
    inner.delete(name);
  }

  @Override
  public void sync() throws IOException {
    check(Kind.SYNC_DIRECTORY, "");
    inner.sync();
  }

  @Override
  public long usableBytes() throws IOException {
    return inner.usableBytes();
  }

  @Override
  public void lock() throws IOException {
    inner.lock();
  }

  @Override
  public void close() throws IOException {
    inner.close();
  }

  /** An open file. */
  private final class Handle implements StorageFile {
    private final StorageFile file;
    private boolean isOpen = true;

    Handle(StorageFile file) {
      this.file = file;
      opened(file.name());
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long length() throws IOException {
      check(Kind.LENGTH, name());
      return file.length();
    }

    @Override
    public void readFully(ByteBuffer target, long position) throws IOException {
      check(Kind.READ, name());
      file.readFully(target, position);
    }

    @Override
    public void writeFully(ByteBuffer source, long position) throws IOException {
      IOException now = count(Kind.WRITE, name());
      if (now == null) {
        file.writeFully(source, position);
        return;
      }
      if (writesShortNow()) {
        int half = source.remaining() / 2;
        file.writeFully(source.duplicate().limit(source.position() + half), position);
      }
      throw now;
    }

    @Override
    public void truncate(long length) throws IOException {
      check(Kind.TRUNCATE, name());
      file.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      check(Kind.SYNC_FILE, name());
      file.sync();
    }

    @Override
    public void close() throws IOException {
      atClose.accept(file.name());
      if (isOpen) {
        isOpen = false;
        closed(file.name());
      }
      file.close();
    }
  }
}
