package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TreeCheckTest {
  private static final int BLOCK_BYTES = 512;

  private final OffHeap memory = new OffHeap();
  private final List<String> read = new ArrayList<>();
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();

  @AfterEach
  void allMemoryIsGivenBack() {
    assertEquals(0, memory.heldBytes());
  }

  private LsmTree open() throws IOException {
    return LsmTree.open(
        directory, TreeOptions.builder().offHeap(memory).blockBytes(BLOCK_BYTES).build());
  }

  private static void write(LsmTree tree, int from, int to) throws IOException {
    Random random = new Random(from);
    for (int key = from; key < to; key++) {
      byte[] value = new byte[60];
      random.nextBytes(value);
      tree.apply(new WriteBatch().put(("key" + key).getBytes(), value));
    }
    tree.publish(tree.commit());
  }

  /** Two tables and a log. */
  private void writeTree() throws IOException {
    try (LsmTree tree = open()) {
      write(tree, 0, 100);
      tree.flush();
      write(tree, 100, 200);
      tree.flush();
      write(tree, 200, 250);
    }
  }

  private List<IOException> check() throws IOException {
    read.clear();
    return TreeCheck.run(directory, KeyComparator.BYTEWISE, memory, read::add);
  }

  private String firstTable() {
    return directory.list().stream()
        .filter(name -> name.endsWith(TableMeta.FILE_SUFFIX))
        .sorted()
        .findFirst()
        .orElseThrow();
  }

  private void flip(String name, int at) throws IOException {
    byte[] bytes = directory.content(name);
    bytes[at] ^= 1;
    directory.setContent(name, bytes);
  }

  @Test
  void aSoundTreeIsReadWholeAndLeftAsItIs() throws IOException {
    writeTree();
    Map<String, String> before = contents();
    assertEquals(List.of(), check());
    assertEquals(before, contents());
    assertEquals(4, read.size(), read::toString);
    assertTrue(read.get(1).contains(" 100 entries"), read::toString);
    assertEquals("log: 50 records in 1 segments", read.get(3));
  }

  @Test
  void everyDamagedPlaceIsNamed() throws IOException {
    writeTree();
    String table = firstTable();
    String log = directory.list().stream().filter(n -> n.endsWith(".log")).findAny().orElseThrow();
    flip(table, 10);
    flip(table, 10 + 4 * BLOCK_BYTES);
    flip(log, 100);
    List<IOException> damage = check();
    assertEquals(3, damage.size(), damage::toString);
    for (IOException each : damage) {
      CorruptionException named = (CorruptionException) each;
      assertEquals(each == damage.get(2) ? log : table, named.file());
    }
    assertEquals(2, read.size(), "the manifest and the other table: " + read);
  }

  @Test
  void aDamagedManifestIsAllThatIsSaid() throws IOException {
    writeTree();
    flip("CURRENT", 30);
    assertEquals("CURRENT", ((CorruptionException) check().get(0)).file());
  }

  @Test
  void whatACrashHasLeftIsNoDamage() throws IOException {
    CrashableStorageDirectory left = new CrashableStorageDirectory();
    try (LsmTree tree = open()) {
      write(tree, 0, 100);
      for (String name : directory.list()) {
        left.setContent(name, directory.content(name));
      }
    }
    directory = left;
    String log = directory.list().stream().filter(n -> n.endsWith(".log")).findAny().orElseThrow();
    byte[] bytes = directory.content(log);
    directory.setContent(log, Arrays.copyOf(bytes, bytes.length - 20));
    assertEquals(List.of(), check());
    assertTrue(read.get(1).endsWith("that a crash left: the next start cuts them"), read::toString);
  }

  @Test
  void aDirectoryOfSomethingElseIsRefused() {
    directory.setContent("dump.rdb", new byte[9]);
    assertThrows(IOException.class, this::check);
  }

  @Test
  void aDirectoryThatMayNotBeReadIsNotTakenForAnEmptyOne() {
    // Asked whether a file is there, such a directory says no.
    FailingStorageDirectory closed = new FailingStorageDirectory(directory);
    closed.failAll(call -> call.kind() == Kind.LIST, new IOException("permission denied"));
    IOException refused = assertThrows(IOException.class, () -> TreeCheck.requireTree(closed));
    assertEquals("permission denied", refused.getMessage());
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new HashMap<>();
    for (String name : directory.list()) {
      contents.put(name, HexFormat.of().formatHex(directory.content(name)));
    }
    return contents;
  }
}
