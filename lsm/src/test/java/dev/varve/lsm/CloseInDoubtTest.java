package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A tree that is closed while nobody knows what of its log is on disk. */
class CloseInDoubtTest {
  private static final byte[] KEY = {1};

  @Test
  void aCloseThatMayLeaveNothingOnDiskSaysSo() throws IOException {
    OffHeap memory = new OffHeap();
    FailingStorageDirectory disk = new FailingStorageDirectory(new CrashableStorageDirectory());
    LsmTree tree = LsmTree.open(disk, TreeOptions.builder().offHeap(memory).build());
    tree.write(new WriteBatch().put(KEY, KEY));
    disk.failAll(call -> call.kind() == Kind.SYNC_FILE, new IOException("Input/output error"));
    assertThrows(IOException.class, tree::sync);
    assertThrows(IOException.class, tree::close);
    assertEquals(0, memory.heldBytes());
  }
}
