package dev.varve.lsm;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.wal.CorruptionException;
import dev.varve.wal.CrashableStorageDirectory;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that somebody deletes while the tree is open, which goes on with them unawares. */
class LostFilesTest {
  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private LsmTree tree;

  @BeforeEach
  void aTreeWithATableAndALog() throws IOException {
    tree = LsmTree.open(device, TreeOptions.builder().memtableBytesMax(64 << 10).build());
    put("flushed");
    tree.rotate();
    tree.flush();
    put("logged");
  }

  private void put(String key) throws IOException {
    tree.apply(new WriteBatch().put(key.getBytes(US_ASCII), new byte[100]));
    tree.publish(tree.commit());
  }

  @ParameterizedTest
  @ValueSource(strings = {"CURRENT", "MANIFEST-\\d+", "\\d+\\.sst", "\\d+\\.log"})
  void theEndSaysWhichIsGoneAndSealsNothing(String kind) throws IOException {
    List<String> its = device.list().stream().filter(name -> name.matches(kind)).sorted().toList();
    assertTrue(!its.isEmpty(), () -> kind + " is not among " + device.list());
    String gone = its.get(0);
    device.delete(gone);
    String before = current();
    IOException said = assertThrows(IOException.class, tree::close);
    assertTrue(String.valueOf(said.getMessage()).contains("1 are gone, " + gone), said::toString);
    assertEquals(before, current());
  }

  private String current() throws IOException {
    return device.exists("CURRENT") ? new String(device.content("CURRENT"), US_ASCII) : "gone";
  }

  @Test
  void aStartWithoutCurrentNamesItAndChangesNothing() throws IOException {
    tree.close();
    device.delete("CURRENT");
    List<String> left = device.list();
    CorruptionException refused =
        assertThrows(
            CorruptionException.class, () -> LsmTree.open(device, TreeOptions.builder().build()));
    assertEquals("CURRENT", refused.file());
    assertEquals(left, device.list());
  }

  @Test
  void aDirectoryThatIsEmptyStaysEmpty() throws IOException {
    device.list().forEach(device::delete);
    assertThrows(IOException.class, tree::close);
    assertEquals(List.of(), device.list());
  }
}
