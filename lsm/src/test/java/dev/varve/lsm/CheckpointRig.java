package dev.varve.lsm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.lsm.entry.KeyComparator;
import dev.varve.lsm.entry.VisibleCursor;
import dev.varve.lsm.version.TableMeta;
import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.OffHeap;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A tree that is written to, and what a checkpoint of it must hold. */
final class CheckpointRig {
  private static final int COUNTER = 5;
  static final IOException FULL = new IOException("No space left on device");

  final OffHeap memory = new OffHeap();
  final CrashableStorageDirectory device = new CrashableStorageDirectory();
  final FailingStorageDirectory directory = new FailingStorageDirectory(device);
  final TreeMap<String, String> model = new TreeMap<>();
  private int written;

  /** Where the tree's batches are at the moment of the checkpoint. */
  enum Place {
    TABLES {
      @Override
      void bring(CheckpointRig rig, LsmTree tree) throws IOException {
        rig.write(tree, 300);
        tree.flush();
      }
    },
    LOG {
      @Override
      void bring(CheckpointRig rig, LsmTree tree) throws IOException {
        rig.write(tree, 300);
      }
    },
    TABLES_AND_LOG {
      @Override
      void bring(CheckpointRig rig, LsmTree tree) throws IOException {
        for (int i = 0; i < 3; i++) {
          rig.write(tree, 100);
          tree.flush();
        }
        rig.write(tree, 50);
      }
    },
    SEVERAL_SEGMENTS {
      @Override
      void bring(CheckpointRig rig, LsmTree tree) throws IOException {
        for (int i = 0; i < 4; i++) {
          rig.write(tree, 50);
          rig.rotate(tree);
        }
        rig.write(tree, 10);
      }
    },
    SEGMENTS_BEFORE_AN_EMPTY_ONE {
      @Override
      void bring(CheckpointRig rig, LsmTree tree) throws IOException {
        rig.write(tree, 50);
        rig.rotate(tree);
      }
    },
    NOTHING {
      @Override
      void bring(CheckpointRig rig, LsmTree tree) {}
    };

    abstract void bring(CheckpointRig rig, LsmTree tree) throws IOException;
  }

  LsmTree open() throws IOException {
    return open(directory);
  }

  LsmTree open(StorageDirectory where) throws IOException {
    return open(where, memory);
  }

  static LsmTree open(StorageDirectory where, OffHeap memory) throws IOException {
    return LsmTree.open(
        where,
        TreeOptions.builder()
            .offHeap(memory)
            .memtableBytesMax(64 << 10)
            .immutableMemtablesMax(100)
            .logAheadBytes(20_000)
            .build());
  }

  void write(LsmTree tree, int batches) throws IOException {
    for (int i = 0; i < batches; i++) {
      String key = "key" + written * 7 % 200;
      WriteBatch batch = new WriteBatch();
      if (written % 5 == 4) {
        batch.delete(bytes(key));
        model.remove(key);
      } else {
        batch.put(bytes(key), bytes("value" + written));
        model.put(key, "value" + written);
      }
      tree.apply(batch.addToCounter(COUNTER, 1));
      written++;
    }
    tree.publish(tree.commit());
  }

  /** Without a flush: one segment more. */
  private void rotate(LsmTree tree) throws IOException {
    directory.failAll(
        call -> call.kind() == Kind.CREATE && call.file().endsWith(TableMeta.FILE_SUFFIX), FULL);
    int before = tree.tables().immutableCount();
    while (!tree.rotate()) {
      try {
        tree.maintain();
      } catch (IOException noTable) {
        // The segment has been prepared.
      }
    }
    directory.heal();
    assertEquals(before + 1, tree.tables().immutableCount());
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static void checkpoint(LsmTree tree, StorageDirectory target) throws IOException {
    tree.checkpoint(target, () -> false);
  }

  /** What all keys of a tree have. */
  static Map<String, String> contents(LsmTree tree) {
    Map<String, String> found = new TreeMap<>();
    try (Snapshot now = tree.snapshot();
        VisibleCursor cursor = now.cursor()) {
      for (boolean more = cursor.seekToFirst(); more; more = cursor.next()) {
        found.put(
            new String(cursor.copyKey(), StandardCharsets.UTF_8),
            new String(cursor.copyValue(), StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  void requireWhole(StorageDirectory where, long nextSequence) throws IOException {
    assertEquals(List.of(), TreeCheck.run(where, KeyComparator.BYTEWISE, memory, line -> {}));
    try (LsmTree opened = open(where)) {
      assertEquals(model, contents(opened));
      assertEquals(written, opened.counter(COUNTER));
      assertEquals(nextSequence, opened.nextSequence());
      assertEquals(0, opened.recovery().cutBytes());
      // It goes on like any other.
      opened.write(new WriteBatch().put(bytes("more"), bytes("yes")));
      opened.flush();
    }
    try (LsmTree opened = open(where);
        Snapshot now = opened.snapshot()) {
      assertArrayEquals(bytes("yes"), now.get(bytes("more")));
    }
  }

  static boolean isTree(StorageDirectory where) {
    try {
      TreeCheck.requireTree(where);
      return true;
    } catch (IOException none) {
      return false;
    }
  }
}
