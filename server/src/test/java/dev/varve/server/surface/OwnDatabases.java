package dev.varve.server.surface;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Two databases of one client alone, requests that reach no further, and what is there.
 *
 * <p>Single-threaded.
 */
final class OwnDatabases {
  private final List<String> numbers;
  private final SplittableRandom random;
  private final FormRequests requests;

  /** Those of the client with that number. */
  OwnDatabases(int client, SplittableRandom random) throws IOException {
    this.numbers = List.of(Integer.toString(2 * client), Integer.toString(2 * client + 1));
    this.random = random;
    this.requests =
        new FormRequests(SurfaceDifferentialTest.forms(), new Words(random, false), true);
  }

  List<String> numbers() {
    return numbers;
  }

  /** Selects one of them. */
  List<String> select() {
    return List.of("SELECT", anyOf(numbers));
  }

  /** Adds a request to a batch, or none. */
  void add(List<List<String>> its) {
    if (random.nextInt(40) == 0) {
      its.add(ofDatabases());
    } else if (random.nextInt(10) == 0) {
      its.add(OtherClients.much(random));
    } else {
      List<List<String>> next = requests.next();
      // Those that belong together leave behind what is not alike, if there is only the first.
      if (next.size() == 1 && OneDatabase.isWithin(FormRequests.called(next.get(0)))) {
        its.add(next.get(0));
      }
    }
  }

  private List<String> ofDatabases() {
    String key = "k" + random.nextInt(4);
    return switch (random.nextInt(6)) {
      case 0 -> List.of("SWAPDB", numbers.get(0), numbers.get(1));
      case 1 -> List.of("FLUSHDB");
      case 2 -> List.of("MOVE", key, anyOf(numbers));
      case 3 -> List.of("COPY", key, key, "DB", anyOf(numbers), "REPLACE");
      default -> select();
    };
  }

  private String anyOf(List<String> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  List<Content> contents(WireClient client) throws IOException {
    List<Content> contents = new ArrayList<>();
    for (String number : numbers) {
      contents.add(Content.of(client, number));
    }
    return contents;
  }

  /** What redis has not alike of them, or null. */
  @Nullable String difference(WireClient its, List<Content> ours) throws IOException {
    for (int i = 0; i < numbers.size(); i++) {
      String database = numbers.get(i);
      String difference = Content.of(its, database).difference(ours.get(i));
      if (difference != null) {
        return "database " + database + ": " + difference;
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return "databases " + numbers;
  }
}
