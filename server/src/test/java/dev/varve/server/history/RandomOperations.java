package dev.varve.server.history;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Commands as {@link KeyModel} knows them: numbers that grow, and lists of elements that are all
 * different.
 *
 * <p>Any thread, with a random source of its own.
 */
public final class RandomOperations {
  private static final int SMALL = 5;

  private final AtomicLong elements = new AtomicLong();

  /** One command; keys of even numbers hold strings, the others lists. */
  public List<String> next(int key, SplittableRandom random) {
    return key % 2 == 0 ? string(random) : list(random);
  }

  /** What tells everything about a key. */
  public static List<String> look(int key) {
    return List.of(key % 2 == 0 ? "GET" : "LRANGE");
  }

  private static List<String> string(SplittableRandom random) {
    String small = Integer.toString(random.nextInt(SMALL));
    String other = Integer.toString(random.nextInt(SMALL));
    return switch (random.nextInt(16)) {
      case 0, 1, 2, 3 -> List.of("GET");
      case 4, 5 -> List.of("SET", small);
      case 6 -> List.of("SETNX", small);
      case 7 -> List.of("GETDEL");
      case 8 -> List.of("APPEND", small);
      case 9, 10 -> List.of("CAS", small, other);
      case 11 -> List.of("SWAP", small);
      case 12 -> List.of("DEL");
      default -> List.of("INCR");
    };
  }

  private List<String> list(SplittableRandom random) {
    return switch (random.nextInt(16)) {
      case 0, 1, 2 -> List.of("LRANGE");
      case 3 -> List.of("LLEN");
      case 4 -> List.of("DEL");
      case 5, 6, 7 -> List.of("LPUSH", element());
      case 8, 9, 10 -> List.of("RPUSH", element());
      case 11, 12 -> List.of("LPOP");
      default -> List.of("RPOP");
    };
  }

  private String element() {
    return "e" + elements.incrementAndGet();
  }
}
