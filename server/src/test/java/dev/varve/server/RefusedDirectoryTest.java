package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.LsmTree;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.entry.KeyComparator;
import dev.varve.server.ServerProcess.End;
import dev.varve.server.engine.DirectoryCheck;
import dev.varve.server.net.RawClient;
import dev.varve.wal.DirectoryLockedException;
import dev.varve.wal.OffHeap;
import dev.varve.wal.RealStorageDirectory;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that the server must not serve from: it says why in one line and changes nothing. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RefusedDirectoryTest {
  private static final String CURRENT = "CURRENT";
  private static final String MANIFEST = "MANIFEST-\\d+";
  private static final String LOG = "\\d+\\.log";
  private static final String TABLE = ".*\\.sst";
  private static final int KEYS = 40;
  private static final int RECORD_FILE_VERSION_AT = 8;
  private static final int RECORD_FILE_HEADER_BYTES = 28;
  private static final int TABLE_FOOTER_BYTES = 64;

  /** A directory with tables and a log, cleanly closed. */
  @TempDir static Path sound;

  private static DirectoryImage image = new DirectoryImage(Path.of(""), Map.of());

  @TempDir Path directory;

  @BeforeAll
  static void writeASoundDirectory() throws IOException, InterruptedException {
    try (ServerProcess server = ServerProcess.start(sound);
        RawClient client = server.client()) {
      for (int key = 0; key < KEYS; key++) {
        assertEquals("+OK|", client.ask("set key" + key + " " + value(key)));
      }
      assertEquals("+OK|", client.ask("save"));
      assertEquals("+OK|", client.ask("set another table"));
      assertEquals("+OK|", client.ask("save"));
      for (int i = 0; i < 100; i++) {
        // One by one: what comes together is one record.
        client.ask("incr counter");
      }
      server.stop();
    }
    image = DirectoryImage.of(sound);
  }

  /** Hardly to be compressed, so that the keys are in many blocks. */
  private static String value(int key) {
    StringBuilder value = new StringBuilder();
    new Random(key).ints(5000, 'a', 'z' + 1).forEach(value::appendCodePoint);
    return value.toString();
  }

  private interface Change {
    byte[] apply(byte[] bytes);
  }

  /** What was done to one file. */
  private enum Damage {
    CURRENT_IS_EMPTY(CURRENT, bytes -> new byte[0], "corrupt file "),
    CURRENT_IS_GARBAGE(CURRENT, bytes -> flip(bytes, 3), "corrupt file "),
    CURRENT_NAMES_NO_FILE(
        CURRENT,
        bytes -> "MANIFEST-999999\n".getBytes(StandardCharsets.US_ASCII),
        "MANIFEST-999999: no such file"),
    MANIFEST_HEADER(MANIFEST, bytes -> flip(bytes, 2), "corrupt file "),
    MANIFEST_FIRST_EDIT(MANIFEST, bytes -> flip(bytes, 60), "corrupt file "),
    MANIFEST_LAST_EDIT(MANIFEST, bytes -> flip(bytes, bytes.length - 40), "corrupt file "),
    MANIFEST_IS_EMPTY(MANIFEST, bytes -> new byte[0], "corrupt file "),
    MANIFEST_IS_NEWER(MANIFEST, RefusedDirectoryTest::newerRecordFile, " has format version 9; "),
    LOG_HEADER(LOG, bytes -> flip(bytes, 14), "corrupt file "),
    LOG_FIRST_RECORD(LOG, bytes -> flip(bytes, 62), "corrupt file "),
    LOG_MIDDLE(LOG, bytes -> flip(bytes, bytes.length / 2), "corrupt file "),
    LOG_IS_NEWER(LOG, RefusedDirectoryTest::newerRecordFile, " has format version 9; "),
    TABLE_FOOTER(TABLE, bytes -> flip(bytes, bytes.length - 30), "corrupt file "),
    TABLE_IS_CUT(TABLE, bytes -> Arrays.copyOf(bytes, bytes.length / 2), "corrupt file "),
    TABLE_IS_EMPTY(TABLE, bytes -> new byte[0], "corrupt file "),
    TABLE_IS_NEWER(TABLE, RefusedDirectoryTest::newerTable, " has format version 9; ");

    private final String file;
    private final Change change;
    private final String message;

    Damage(String file, Change change, String message) {
      this.file = file;
      this.change = change;
      this.message = message;
    }
  }

  private static byte[] flip(byte[] bytes, int at) {
    byte[] flipped = bytes.clone();
    flipped[at] ^= 0x10;
    return flipped;
  }

  private static byte[] newerRecordFile(byte[] bytes) {
    ByteBuffer newer = ByteBuffer.wrap(bytes.clone());
    newer.putInt(RECORD_FILE_VERSION_AT, 9);
    int checked = RECORD_FILE_HEADER_BYTES - Integer.BYTES;
    newer.putInt(checked, crc(newer.array(), 0, checked));
    return newer.array();
  }

  private static byte[] newerTable(byte[] bytes) {
    ByteBuffer newer = ByteBuffer.wrap(bytes.clone());
    int footer = bytes.length - TABLE_FOOTER_BYTES;
    newer.putInt(footer + 48, 9);
    newer.putInt(footer + 52, crc(newer.array(), footer, 52));
    return newer.array();
  }

  private static int crc(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  @ParameterizedTest
  @EnumSource
  void damageIsOneLineThatNamesTheFileAndNothingIsTouched(Damage damage)
      throws IOException, InterruptedException {
    image.copyTo(directory);
    String name = image.nameLike(damage.file);
    byte[] sane = Files.readAllBytes(directory.resolve(name));
    Files.write(directory.resolve(name), damage.change.apply(sane));
    String line = refusal(directory);
    assertTrue(line.contains(damage.message), line);
    assertTrue(line.contains(name), line);
    // Whoever has a copy of the file can put it back.
    Files.write(directory.resolve(name), sane);
    if (damage == Damage.TABLE_IS_EMPTY) {
      try (ServerProcess server = ServerProcess.start(directory);
          RawClient client = server.client()) {
        assertEquals("$3|100|", client.ask("get counter"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {MANIFEST, TABLE, CURRENT})
  void aMissingFileIsOneLineThatNamesItAndNothingIsTouched(String pattern)
      throws IOException, InterruptedException {
    image.copyTo(directory);
    String name = image.nameLike(pattern);
    Files.delete(directory.resolve(name));
    String line = refusal(directory);
    assertTrue(line.contains(name), line);
    assertTrue(line.contains("no such file") || name.equals(CURRENT), line);
  }

  @ParameterizedTest
  @EnumSource
  void aCheckFindsTheSameDamageButCallsWhatIsNewerNotDamagedAndTouchesNothing(Damage damage)
      throws IOException, InterruptedException {
    image.copyTo(directory);
    String name = image.nameLike(damage.file);
    byte[] sane = Files.readAllBytes(directory.resolve(name));
    Files.write(directory.resolve(name), damage.change.apply(sane));
    DirectoryImage before = DirectoryImage.of(directory);
    End check = ServerProcess.run("--check", "--dir", directory.toString());
    assertEquals(1, check.exit(), check::toString);
    assertTrue(check.out().contains(damage.message), check.out());
    assertTrue(check.out().contains(name), check.out());
    String verdict =
        damage.name().endsWith("_IS_NEWER")
            ? "written by a later release, which can check it; no damage in what this one can read\n"
            : "damaged in 1 place\n";
    assertTrue(check.out().endsWith('\n' + verdict), check.out());
    before.assertUntouched();
  }

  @Test
  void aCheckOfASoundDirectoryReadsItAndOneOfNoDirectoryRefuses()
      throws IOException, InterruptedException {
    image.copyTo(directory);
    End check = ServerProcess.run("--check", "--dir", directory.toString());
    assertEquals(0, check.exit(), check::toString);
    assertTrue(check.out().contains("log: 100 records in"), check.out());
    assertEquals("", check.err(), "what libraries note is for those who debug them");
    assertTrue(check.out().endsWith("no damage\n"), check.out());
    Path none = directory.resolve("none");
    End refused = ServerProcess.run("--check", "--dir", none.toString());
    assertEquals("varve: " + none + ": no such directory\n", refused.err());
    assertEquals(1, refused.exit());
    try (ServerProcess running = ServerProcess.start(directory)) {
      End inUse = ServerProcess.run("--check", "--dir", directory.toString());
      assertEquals(1, inUse.exit(), inUse::toString);
      assertTrue(inUse.err().contains("in use by another Varve"), inUse.err());
      assertEquals(0, running.stop().exit());
    }
  }

  @Test
  void aCheckWritesNothingIntoADirectoryThatIsToBeReadOnly()
      throws IOException, InterruptedException {
    image.copyTo(directory);
    Files.deleteIfExists(directory.resolve("LOCK"));
    FileTime longAgo = FileTime.fromMillis(1_000_000_000_000L);
    File[] files = Objects.requireNonNull(directory.toFile().listFiles());
    Files.setLastModifiedTime(directory, longAgo);
    // Root may write there nonetheless, and would leave a trace.
    for (File file : files) {
      assertTrue(file.setReadOnly());
    }
    assertTrue(directory.toFile().setReadOnly());
    try {
      End check = ServerProcess.run("--check", "--dir", directory.toString());
      assertEquals(0, check.exit(), check::toString);
      assertTrue(check.out().endsWith("no damage\n"), check.out());
      assertEquals(longAgo, Files.getLastModifiedTime(directory));
      assertFalse(Files.exists(directory.resolve("LOCK")));
    } finally {
      assertTrue(directory.toFile().setWritable(true));
    }
  }

  @Test
  void aCheckTellsNothingOfADirectoryThatAServerCameToMeanwhile() throws IOException {
    image.copyTo(directory);
    Path lock = directory.resolve("LOCK");
    Files.deleteIfExists(lock);
    try (RealStorageDirectory data = RealStorageDirectory.open(directory)) {
      assertThrows(
          DirectoryLockedException.class,
          () -> DirectoryCheck.run(data, line -> assertTrue(isThere(lock))));
    }
  }

  /** Whether there is such a file, which there is from then on. */
  private static boolean isThere(Path file) {
    try {
      Files.write(file, new byte[0]);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void aDirectoryOfSomethingElseIsLeftAlone() throws IOException, InterruptedException {
    Files.writeString(directory.resolve("dump.rdb"), "REDIS0011");
    assertEquals(
        "varve: directory "
            + directory
            + " was not written by Varve: it holds dump.rdb but no CURRENT; choose an empty --dir",
        refusal(directory));
  }

  @Test
  void aTreeOfAnotherKeyOrderIsLeftAlone() throws IOException, InterruptedException {
    LsmTree.open(
            RealStorageDirectory.open(directory),
            TreeOptions.builder().keyOrder(KeyComparator.BYTEWISE).offHeap(new OffHeap()).build())
        .close();
    String line = refusal(directory);
    assertTrue(line.contains(KeyComparator.BYTEWISE.name()), line);
    assertTrue(line.contains("the tree in " + directory), line);
  }

  @Test
  void aFileInPlaceOfADirectoryIsOneLine() throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve("file"), "precious");
    assertEquals("varve: " + file + ": is not a directory", refusalOf(file));
    assertEquals("precious", Files.readString(file));
  }

  @Test
  void aDamagedBlockThatTheStartNeedsIsOneLineThatNamesTheFile()
      throws IOException, InterruptedException {
    image.copyTo(directory);
    // The newest of them that has the counters is asked for them; which that is depends on flushes.
    for (String table : image.namesLike(TABLE)) {
      damage(table, 0);
    }
    String line = refusalOf(directory);
    assertTrue(line.matches("varve: corrupt file " + TABLE + " at offset 0: .*"), line);
  }

  @Test
  void anyOtherDamagedBlockIsAnErrorOfTheReadsThatMeetItAndOfNothingElse()
      throws IOException, InterruptedException {
    image.copyTo(directory);
    String name = image.nameLike(TABLE);
    damage(name, 0.5);
    String error = "-ERR corrupt file " + name + " at offset ";
    try (ServerProcess server = ServerProcess.start(directory);
        RawClient client = server.client()) {
      int damaged = 0;
      for (int key = 0; key < KEYS; key++) {
        String value = client.ask("get key" + key);
        if (value.startsWith(error)) {
          damaged++;
          String write = client.ask("append key" + key + " x");
          assertTrue(write.startsWith(error), write);
        } else {
          assertEquals("$5000|" + value(key) + "|", value);
        }
      }
      assertTrue(damaged > 0 && damaged < KEYS, damaged + " of " + KEYS);
      String info = client.ask("info");
      // However many keys are in it, and however often they were asked for.
      assertTrue(info.contains("|corrupt_blocks:1|"), info);
      assertEquals("$3|100|", client.ask("get counter"));
      assertEquals("+OK|", client.ask("set new fine"));
      server.stop();
    }
  }

  /** Flips a bit of a file, so far behind its beginning as {@code share} of it says. */
  private void damage(String name, double share) throws IOException {
    Path file = directory.resolve(name);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, flip(bytes, (int) (bytes.length * share) + 10));
  }

  /** The line with which the server refuses a directory, which is then as it was before. */
  private static String refusal(Path directory) throws IOException, InterruptedException {
    DirectoryImage before = DirectoryImage.of(directory);
    String line = refusalOf(directory);
    before.assertUntouched();
    return line;
  }

  private static String refusalOf(Path path) throws IOException, InterruptedException {
    End end = ServerProcess.runOn(path);
    assertEquals(1, end.exit(), () -> end.out() + end.err());
    assertEquals("", end.out());
    assertTrue(end.err().matches("varve: [^\n]+\n"), end.err());
    return end.err().strip();
  }
}
