package dev.varve.server.surface;

import dev.varve.server.TestThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client that takes from queues, and waits for what comes.
 *
 * <p>Belongs to one thread, but for {@link #awaited}.
 */
final class QueueConsumer implements AutoCloseable {
  static final String GROUP = "group";

  /** So many are taken by one request, at most. */
  private static final int ITEMS_MAX = 3;

  /** What producers push. */
  private static final Pattern ITEM = Pattern.compile("\\$\\d+\r\n(item-\\d+-\\d+)\r\n");

  private final AskingClient client;
  private final String name;
  private final SplittableRandom random;
  private final boolean isPatient;
  private final List<String> taken = new ArrayList<>();
  private int doubtful;
  private volatile List<String> awaited = List.of();

  /**
   * @param isPatient whether it waits as long as it takes
   */
  QueueConsumer(int port, String name, SplittableRandom random, boolean isPatient)
      throws IOException {
    this.client = new AskingClient(port);
    this.name = name;
    this.random = random;
    this.isPatient = isPatient;
  }

  /** What it has taken, once it has ended. */
  List<String> taken() {
    return taken;
  }

  /** How many items it may have taken besides, at most. */
  int doubtful() {
    return doubtful;
  }

  /** The keys that it waits for; none when it does not. Any thread. */
  List<String> awaited() {
    return awaited;
  }

  /** Takes until it is over, and has been served. */
  void take(TestThreads threads) throws IOException, InterruptedException {
    while (!threads.isOver()) {
      List<String> request = request();
      boolean isMove = request.get(0).contains("MOVE") || request.get(0).contains("POPLPUSH");
      List<String> sources = isMove ? request.subList(1, 2) : request;
      awaited = sources.stream().filter(QueuesTest.KEYS::contains).toList();
      try {
        String reply = client.ask(request);
        if (!isMove) {
          items(reply, taken);
        }
      } catch (AskingClient.DoubtException doubt) {
        doubtful += isMove || !doubt.mayBeDone() ? 0 : ITEMS_MAX;
      } finally {
        awaited = List.of();
      }
    }
  }

  private List<String> request() {
    String list = QueuesTest.list(random);
    String other = QueuesTest.list(random);
    String set = QueuesTest.sortedSet(random);
    String end = random.nextBoolean() ? "LEFT" : "RIGHT";
    String otherEnd = random.nextBoolean() ? "LEFT" : "RIGHT";
    String timeout = !isPatient && random.nextInt(4) == 0 ? "0.02" : "0";
    return switch (random.nextInt(14)) {
      case 0, 1 -> List.of("BLPOP", list, timeout);
      case 2 -> List.of("BRPOP", list, other, timeout);
      case 3 ->
          List.of("BLMPOP", timeout, "2", list, other, end, "COUNT", Integer.toString(ITEMS_MAX));
      case 4, 5 -> List.of("BLMOVE", list, other, end, otherEnd, timeout);
      case 6 -> List.of("BRPOPLPUSH", list, other, timeout);
      case 7 -> List.of("BZPOPMIN", set, QueuesTest.sortedSet(random), timeout);
      case 8 -> List.of("BZPOPMAX", set, timeout);
      case 9 -> List.of("BZMPOP", timeout, "1", set, "MIN", "COUNT", "2");
      case 10, 11 ->
          List.of(
              "XREADGROUP",
              "GROUP",
              GROUP,
              name,
              "COUNT",
              "2",
              "BLOCK",
              timeout.equals("0") ? "0" : "20",
              "STREAMS",
              QueuesTest.STREAM,
              ">");
      case 12 -> List.of("LPOP", list);
      default -> List.of("EVAL", "return redis.call('rpop',KEYS[1])", "1", list);
    };
  }

  /** Adds the items of a reply. */
  static void items(String reply, List<String> items) {
    Matcher matcher = ITEM.matcher(reply);
    while (matcher.find()) {
      items.add(matcher.group(1));
    }
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
