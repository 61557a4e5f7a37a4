package dev.varve.server.surface;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A client that pushes items into queues, each once, in random ways.
 *
 * <p>Single-threaded.
 */
final class QueueProducer {
  private static final int PUSHES = 30;

  private final int port;
  private final String name;
  private final SplittableRandom random;
  private final List<String> pushed = new ArrayList<>();
  private final List<String> doubtful = new ArrayList<>();
  private int count;

  QueueProducer(int port, String name, SplittableRandom random) {
    this.port = port;
    this.name = name;
    this.random = random;
  }

  /** What it has pushed, once it has ended. */
  List<String> pushed() {
    return pushed;
  }

  /** What it may have pushed. */
  List<String> doubtful() {
    return doubtful;
  }

  void produce() throws IOException, InterruptedException {
    try (AskingClient client = new AskingClient(port)) {
      for (int i = 0; i < PUSHES; i++) {
        List<String> items = new ArrayList<>();
        for (int j = random.nextInt(4); j >= 0; j--) {
          items.add("item-" + name + "-" + count++);
        }
        try {
          push(client, items, "own-" + name + "-" + client.doubts());
          pushed.addAll(items);
        } catch (AskingClient.DoubtException doubt) {
          doubtful.addAll(items);
        }
      }
    }
  }

  private void push(AskingClient client, List<String> items, String own)
      throws IOException, InterruptedException {
    String list = QueuesTest.list(random);
    switch (random.nextInt(9)) {
      case 0 -> client.ask(with(items, "RPUSH", list));
      case 1 -> client.ask(with(items, "LPUSH", list));
      case 2 -> {
        client.ask(List.of("MULTI"));
        client.ask(with(items, "RPUSH", list));
        client.ask(List.of("SET", "other", "1"));
        client.ask(List.of("EXEC"));
      }
      case 3 ->
          client.ask(
              with(
                  items,
                  "EVAL",
                  "for i=1,#ARGV do redis.call('lpush',KEYS[1],ARGV[i])end",
                  "1",
                  list));
      case 4 -> {
        // In the place of nothing.
        client.ask(with(items, "RPUSH", own));
        if (client.ask(List.of("RENAMENX", own, list)).equals(":0\r\n")) {
          client.ask(List.of("DEL", own));
          client.ask(with(items, "RPUSH", list));
        }
      }
      case 5 -> {
        client.ask(List.of("SELECT", "1"));
        client.ask(List.of("DEL", own));
        client.ask(with(items, "RPUSH", own));
        client.ask(List.of("COPY", own, own, "DB", "0"));
        client.ask(List.of("SELECT", "0"));
        client.ask(List.of("SORT", own, "BY", "nosort", "STORE", own));
        while (!client.ask(List.of("LMOVE", own, list, "LEFT", "LEFT")).startsWith("$-1")) {
          continue;
        }
      }
      case 6, 7 -> {
        List<String> request = new ArrayList<>(List.of("ZADD", QueuesTest.sortedSet(random)));
        for (String item : items) {
          request.add(Integer.toString(random.nextInt(10)));
          request.add(item);
        }
        client.ask(request);
      }
      default -> {
        for (String item : items) {
          client.ask(List.of("XADD", QueuesTest.STREAM, "*", "item", item));
        }
      }
    }
  }

  private static List<String> with(List<String> items, String... words) {
    List<String> request = new ArrayList<>(List.of(words));
    request.addAll(items);
    return request;
  }
}
