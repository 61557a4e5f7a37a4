package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Walks by their names, and how many deleted entries each of them passes. */
final class CountedWalks {
  private final Keyspace keyspace;
  private final Map<String, Consumer<Transaction>> walks = new LinkedHashMap<>();

  CountedWalks(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  void put(String name, Consumer<Transaction> walk) {
    walks.put(name, walk);
  }

  /** Makes each of them, in the order in which they came. */
  void passAtMost(long max) {
    StringBuilder wrong = new StringBuilder();
    walks.forEach(
        (name, walk) -> {
          keyspace.store.takeDeletedPassed();
          keyspace.apply(walk);
          long passed = keyspace.store.takeDeletedPassed();
          if (passed > max) {
            wrong.append(name).append(" passes ").append(passed).append(" deleted entries\n");
          }
        });
    assertEquals("", wrong.toString());
    KeyspaceCheck.assertConsistent(keyspace);
  }
}
