package dev.varve.codec.list;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.Members;
import dev.varve.codec.Transaction;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** One list, {@code jobs}, over the in-memory store. */
abstract class ListFixture {
  static final byte[] KEY = bytes("jobs");
  final Keyspace keyspace = new Keyspace();

  long push(ListEnd end, String... elements) {
    return keyspace.number(tx -> Lists.push(tx, 0, KEY, end, Members.bytes(elements)));
  }

  List<String> elements() {
    return Members.walk(keyspace, tx -> Lists.elements(tx, 0, KEY), false);
  }

  /** A list of so many numbers, too many to be packed. */
  void fill(int size) {
    push(ListEnd.TAIL, IntStream.range(0, size).mapToObj(Integer::toString).toArray(String[]::new));
    assertTrue(keyspace.held(0, KEY).isSpread());
  }

  void pop(ListEnd end, int times) {
    for (int i = 0; i < times; i++) {
      keyspace.apply(tx -> Lists.pop(tx, 0, KEY, end));
    }
  }

  /** How many entries an operation writes or deletes. */
  int writes(Consumer<Transaction> operation) {
    return keyspace.run(
        tx -> {
          operation.accept(tx);
          return tx.batch().writeCount();
        });
  }

  byte[] stored(byte[] storedKey) {
    return Objects.requireNonNull(keyspace.storedValue(storedKey));
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
