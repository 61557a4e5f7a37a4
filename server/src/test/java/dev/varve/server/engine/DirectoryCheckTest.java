package dev.varve.server.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.CounterIds;
import dev.varve.codec.check.Inconsistency;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.KeyFormat;
import dev.varve.lsm.LsmTree;
import dev.varve.lsm.TreeOptions;
import dev.varve.lsm.WriteBatch;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectoryCheckTest {
  private static final byte[] KEY = "car".getBytes(UTF_8);
  private static final CollectionKeys KEYS = new CollectionKeys(0, KEY, 1);

  private final CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private final List<String> read = new ArrayList<>();

  /** Writes entries, the first of them into a table and the others into the log. */
  private void write(WriteBatch... batches) throws IOException {
    TreeOptions options = TreeOptions.builder().keyOrder(StoredKeyOrder.INSTANCE).build();
    try (LsmTree tree = LsmTree.open(directory, options)) {
      for (WriteBatch batch : batches) {
        tree.write(batch);
        if (batch == batches[0]) {
          tree.flush();
        }
      }
    }
  }

  /** A set of two members, and its key. */
  private static WriteBatch set() {
    byte[] meta =
        HexFormat.of()
            .parseHex("1302" + "0".repeat(15) + "1" + "0".repeat(15) + "2" + "0".repeat(15) + "7");
    return new WriteBatch()
        .put(KeyFormat.meta(0, KEY), meta)
        .put(KEYS.member("red".getBytes(UTF_8)), new byte[0])
        .put(KEYS.member("blue".getBytes(UTF_8)), new byte[0])
        .addToCounter(CounterIds.keys(0), 1);
  }

  private DirectoryCheck.Findings check() throws IOException {
    return DirectoryCheck.run(directory, read::add);
  }

  @Test
  void whatHangsTogetherHasNoDamage() throws IOException {
    write(
        set(),
        new WriteBatch()
            .put(KeyFormat.meta(0, new byte[] {1}), new byte[] {0x11, 0, 7})
            .addToCounter(CounterIds.keys(0), 1));
    DirectoryCheck.Findings findings = check();
    assertTrue(findings.isSound(), findings::toString);
    assertEquals("no damage", findings.verdict());
    assertEquals("content: 2 keys, 4 entries", read.get(read.size() - 1));
  }

  @Test
  void whatTheLogHasTakenAwayIsMissed() throws IOException {
    write(set(), new WriteBatch().delete(KEYS.member("red".getBytes(UTF_8))));
    DirectoryCheck.Findings findings = check();
    assertFalse(findings.isSound());
    assertEquals(
        List.of(
            "key \"car\" of database 0: 2 members are said, 1 are there",
            "key \"car\" of database 0: 7 bytes of members are said, 4 are there"),
        findings.inconsistencies().stream().map(Inconsistency::toString).toList());
    assertEquals(
        "no damage, but what is stored does not agree with itself in 2 places", findings.verdict());
  }

  @Test
  void ofManyThatAreWrongTheFirstAreNamed() throws IOException {
    WriteBatch batch = new WriteBatch();
    for (int version = 0; version < 2_000; version++) {
      batch.put(new CollectionKeys(0, KEY, version).member(KEY), new byte[0]);
    }
    write(batch);
    DirectoryCheck.Findings findings = check();
    assertEquals(2_000, findings.inconsistencyCount());
    assertEquals(1_000, findings.inconsistencies().size());
  }

  @Test
  void whatIsDamagedIsNotLookedInto() throws IOException {
    write(set());
    String table =
        directory.list().stream()
            .filter(name -> name.endsWith(TableMeta.FILE_SUFFIX))
            .findAny()
            .orElseThrow();
    byte[] bytes = directory.content(table);
    bytes[10] ^= 1;
    directory.setContent(table, bytes);
    DirectoryCheck.Findings findings = check();
    assertEquals("damaged in 1 place", findings.verdict());
    assertEquals(0, findings.inconsistencyCount());
  }
}
