package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.InMemoryStore;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An in-memory store with a clock for tests: each call of {@link #run} is one transaction, applied
 * at its end.
 *
 * <p>Single-threaded.
 */
public final class Keyspace {
  public final InMemoryStore store = new InMemoryStore();
  public final List<KeyspaceEvent> events = new ArrayList<>();
  public PackedLimits packedLimits = PackedLimits.DEFAULT;
  public long nowMillis = 1_700_000_000_000L;
  public Databases databases;
  private final SplittableRandom random;

  public Keyspace() {
    this(1);
  }

  public Keyspace(long seed) {
    random = new SplittableRandom(seed);
    try (StoreView view = store.view()) {
      databases = Databases.load(view, 16);
    }
  }

  /** Runs an operation in a transaction of its own and applies what it wrote. */
  public <T extends @Nullable Object> T run(Function<Transaction, T> operation) {
    try (StoreView view = store.writerView()) {
      Transaction transaction =
          new Transaction(store, view, databases, packedLimits, nowMillis, random.split(), true);
      T result = operation.apply(transaction);
      store.write(transaction.batch());
      databases = transaction.databases();
      transaction.events().stream()
          .filter(event -> event.eventClass() != EventClass.KEY_MISS)
          .forEach(events::add);
      return result;
    }
  }

  /** A transaction on a view of the caller's, which nobody applies. */
  public Transaction transaction(StoreView view) {
    return new Transaction(
        store, view, databases, packedLimits, nowMillis, new SplittableRandom(1), false);
  }

  /** As {@link #run}, for a yes or no. */
  public boolean test(Predicate<Transaction> operation) {
    return run(operation::test);
  }

  /** As {@link #run}, for a number. */
  public long number(ToLongFunction<Transaction> operation) {
    return run(transaction -> operation.applyAsLong(transaction));
  }

  /** As {@link #run}, for an operation without a result. */
  public void apply(Consumer<Transaction> operation) {
    run(
        transaction -> {
          operation.accept(transaction);
          return Boolean.TRUE;
        });
  }

  /** What a key holds now, which must be something. */
  public Meta held(int database, byte[] key) {
    return Objects.requireNonNull(run(transaction -> transaction.find(database, key)));
  }

  /** The value of a stored key. */
  public byte @Nullable [] storedValue(byte[] stored) {
    try (StoreView view = store.view()) {
      return view.get(stored);
    }
  }

  /** The stored keys of one keyspace. */
  public List<byte[]> stored(byte tag) {
    List<byte[]> found = new ArrayList<>();
    try (StoreView view = store.view();
        StoreCursor cursor = view.cursor(KeyFormat.endOf(tag))) {
      boolean valid = cursor.seek(new byte[] {tag});
      while (valid && cursor.key()[0] == tag) {
        found.add(cursor.key());
        valid = cursor.next();
      }
    }
    return found;
  }

  /**
   * The names of all events since the last call, as {@code name:key}, but those that only say that
   * a key is new.
   */
  public List<String> takeEvents() {
    List<String> names = takeAllEvents();
    names.removeIf(name -> name.startsWith("new:"));
    return names;
  }

  /** The names of all events since the last call, as {@code name:key}. */
  public List<String> takeAllEvents() {
    List<String> names = new ArrayList<>();
    for (KeyspaceEvent event : events) {
      names.add(event.name() + ":" + text(event.key()));
    }
    events.clear();
    return names;
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
