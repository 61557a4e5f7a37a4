package dev.varve.compaction;

import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.RecordFileFormat;
import dev.varve.wal.StorageDirectory;
import dev.varve.wal.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Passes calls on, but makes one mistake: leaves out a sync, deletes too early, or hides that a
 * checksum differs. For one thread.
 */
final class BuggyDirectory implements StorageDirectory {
  private static final String LOG_SUFFIX = ".log";

  private final CrashableStorageDirectory inner;
  private final PlantedBug bug;
  private final Map<String, byte[]> pristine;
  private boolean renamed;

  /**
   * @param pristine files as they were before they were damaged
   */
  BuggyDirectory(CrashableStorageDirectory inner, PlantedBug bug, Map<String, byte[]> pristine) {
    this.inner = inner;
    this.bug = bug;
    this.pristine = pristine;
  }

  @Override
  public String path() {
    return inner.path();
  }

  @Override
  public StorageFile create(String name) throws IOException {
    return new File(inner.create(name));
  }

  @Override
  public StorageFile open(String name) throws IOException {
    return new File(inner.open(name));
  }

  @Override
  public StorageFile openReadOnly(String name) throws IOException {
    return new File(inner.openReadOnly(name));
  }

  @Override
  public List<String> list() {
    return inner.list();
  }

  @Override
  public boolean exists(String name) {
    return inner.exists(name);
  }

  @Override
  public void rename(String source, String target) throws IOException {
    renamed = true;
    inner.rename(source, target);
  }

  @Override
  public void delete(String name) {
    inner.delete(name);
  }

  @Override
  public void sync() {
    boolean leftOut =
        renamed
            ? bug == PlantedBug.DIRECTORY_NOT_SYNCED_AFTER_RENAME
            : bug == PlantedBug.DIRECTORY_NOT_SYNCED_AFTER_CREATE;
    renamed = false;
    if (!leftOut) {
      inner.sync();
    }
  }

  @Override
  public long usableBytes() {
    return inner.usableBytes();
  }

  @Override
  public void lock() throws IOException {
    inner.lock();
  }

  @Override
  public void close() {
    inner.close();
  }

  /** As if the edit that makes the oldest segment needless were durable already. */
  private void deleteOldestSegment() {
    List<String> segments =
        inner.list().stream().filter(name -> name.endsWith(LOG_SUFFIX)).sorted().toList();
    if (segments.size() > 2) {
      inner.delete(segments.get(0));
    }
  }

  private final class File implements StorageFile {
    private final StorageFile file;

    File(StorageFile file) {
      this.file = file;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public void readFully(ByteBuffer target, long position) throws IOException {
      int from = target.position();
      int to = target.limit();
      file.readFully(target, position);
      if (bug == PlantedBug.RECORD_CHECKSUM_IGNORED && name().endsWith(LOG_SUFFIX)) {
        byte[] healed = withGoodChecksums(inner.content(name()));
        target.put(from, healed, Math.toIntExact(position), to - from);
      }
      if (bug == PlantedBug.BLOCK_CHECKSUM_IGNORED && isBlock(position, to - from)) {
        target.putInt(to - Integer.BYTES, crc(target.duplicate().flip().position(from), to - 4));
      }
    }

    /** Whether a whole block was read, by what the file held before it was damaged. */
    private boolean isBlock(long position, int length) {
      byte[] whole = pristine.get(name());
      if (whole == null || !name().endsWith(TableMeta.FILE_SUFFIX) || length < 9) {
        return false;
      }
      int end = Math.toIntExact(position) + length;
      ByteBuffer bytes = ByteBuffer.wrap(whole).position(Math.toIntExact(position));
      return bytes.getInt(end - Integer.BYTES) == crc(bytes, end - Integer.BYTES);
    }

    @Override
    public void writeFully(ByteBuffer source, long position) throws IOException {
      file.writeFully(source, position);
    }

    @Override
    public void truncate(long length) throws IOException {
      file.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      boolean isTable = name().endsWith(TableMeta.FILE_SUFFIX);
      boolean leftOut =
          switch (bug) {
            case TABLE_NOT_SYNCED -> isTable;
            case LOG_NOT_SYNCED -> name().endsWith(LOG_SUFFIX);
            case MANIFEST_EDIT_NOT_SYNCED -> name().startsWith("MANIFEST");
            case CURRENT_NOT_SYNCED -> name().startsWith("CURRENT");
            default -> false;
          };
      if (!leftOut) {
        file.sync();
      }
      if (bug == PlantedBug.LOG_DELETED_TOO_EARLY && isTable) {
        deleteOldestSegment();
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private static int crc(ByteBuffer bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().limit(end));
    return (int) crc.getValue();
  }

  /** The file as a reader takes it who does not look at the records' checksums. */
  private static byte[] withGoodChecksums(byte[] content) {
    byte[] healed = Arrays.copyOf(content, content.length);
    ByteBuffer bytes = ByteBuffer.wrap(healed);
    int at = RecordFileFormat.HEADER_BYTES;
    while (at + RecordFileFormat.RECORD_HEADER_BYTES <= healed.length) {
      int payload = bytes.getInt(at + Integer.BYTES);
      int end = at + RecordFileFormat.RECORD_HEADER_BYTES + payload;
      boolean isZero = bytes.getInt(at) == 0 && payload == 0;
      if (payload < 0 || end > healed.length || end < at || isZero) {
        break;
      }
      bytes.putInt(at, crc(ByteBuffer.wrap(healed).position(at + Integer.BYTES), end));
      at = end;
    }
    return healed;
  }
}
