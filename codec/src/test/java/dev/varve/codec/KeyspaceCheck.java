package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.codec.check.ContentCheck;
import dev.varve.codec.check.Inconsistency;
import dev.varve.codec.store.Store;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.List;

/** Asserts that {@link ContentCheck} finds nothing. */
public final class KeyspaceCheck {
  private KeyspaceCheck() {}

  public static void assertConsistent(Keyspace keyspace) {
    assertConsistent(keyspace.store, keyspace.databases);
  }

  /** The same of what a store has published, which nobody writes to meanwhile. */
  public static void assertConsistent(Store store, Databases databases) {
    assertConsistent(store, databases.count(), "");
  }

  /**
   * The same.
   *
   * @param message says where that was
   */
  public static void assertConsistent(Store store, int databaseCount, String message) {
    List<Inconsistency> found = new ArrayList<>();
    try (StoreView view = store.view()) {
      ContentCheck.run(view, store::counter, databaseCount, found::add);
    }
    assertEquals(List.of(), found, message);
  }
}
