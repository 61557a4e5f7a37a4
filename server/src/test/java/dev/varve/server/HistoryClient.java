package dev.varve.server;

import static java.util.Objects.requireNonNull;

import dev.varve.server.history.Operation;
import dev.varve.server.history.RandomOperations;
import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that sends random commands on a few keys, and writes down what it sees, through all the
 * deaths of its server.
 *
 * <p>One thread runs it at a time; what it wrote down is read after {@link #join}.
 */
public final class HistoryClient {
  private static final String COMPARE_AND_SET =
      "if redis.call('get', KEYS[1]) == ARGV[1] then "
          + "redis.call('set', KEYS[1], ARGV[2]) return 1 else return 0 end";

  /** In what says that the disk fails. */
  private static final String REFUSAL = "MISCONF";

  private static final int ONE_IS_WATCHED = 16;
  private static final int VALUES = 5;

  /** Up to a tenth of a second, in which a disk may fail and be well again. */
  private static final int REST_NANOS_BITS = 28;

  private final String keyPrefix;
  private final int keys;
  private final int atATime;
  private final RandomOperations operations;
  private final SplittableRandom random;
  private final List<Operation> history = new ArrayList<>();
  private List<Operation> pending = new ArrayList<>();

  /** What was refused since the disk fails: it may be done nevertheless. */
  private final List<Operation> refused = new ArrayList<>();

  private @Nullable Thread thread;
  private @Nullable Throwable failure;

  /**
   * @param keys how many keys; number n is called {@code keyPrefix} and n
   * @param atATime how many requests it sends before it reads their replies
   */
  public HistoryClient(
      String keyPrefix,
      int keys,
      int atATime,
      RandomOperations operations,
      SplittableRandom random) {
    this.keyPrefix = keyPrefix;
    this.keys = keys;
    this.atATime = atATime;
    this.operations = operations;
    this.random = random;
  }

  /**
   * Sends until the server is gone, or refuses something, or enough was sent.
   *
   * @param left how many operations may still be begun, by all clients
   */
  public void start(RawClient client, AtomicInteger left) {
    Thread runner = new Thread(() -> run(client, left), "history-" + keyPrefix);
    thread = runner;
    runner.start();
  }

  private void run(RawClient client, AtomicInteger left) {
    try (client) {
      // What may be done or not is hard to tell apart where there is much of it.
      while (refused.isEmpty()) {
        boolean isWatched = random.nextInt(ONE_IS_WATCHED) == 0;
        if (left.getAndAdd(isWatched ? -1 : -atATime) <= 0) {
          return;
        }
        if (isWatched) {
          swapWatched(client);
        } else {
          for (int i = 0; i < atATime; i++) {
            int key = random.nextInt(keys);
            List<String> words = operations.next(key, random);
            pending.add(new Operation(keyPrefix + key, words, 0, 0, null));
          }
          exchange(client);
        }
      }
    } catch (IOException killed) {
      // As it is meant to be.
    } catch (RuntimeException | AssertionError wrong) {
      failure = wrong;
    }
  }

  /** Asks for everything there is, once nobody else is there. */
  public void lookAtAll(RawClient client) throws IOException {
    for (int key = 0; key < keys; key++) {
      pending.add(new Operation(keyPrefix + key, RandomOperations.look(key), 0, 0, null));
      exchange(client);
    }
  }

  /** Sends what is pending and writes down the replies; what gets none stays. */
  private void exchange(RawClient client) throws IOException {
    StringBuilder requests = new StringBuilder();
    List<Operation> sent = new ArrayList<>();
    long invokedNanos = System.nanoTime();
    for (Operation operation : pending) {
      requests.append(request(operation));
      sent.add(
          new Operation(operation.key(), operation.words(), invokedNanos, Long.MAX_VALUE, null));
    }
    pending = sent;
    client.send(requests.toString());
    while (!pending.isEmpty()) {
      Operation first = pending.get(0);
      String reply = reply(client, first);
      if (reply.contains(REFUSAL)) {
        refused.add(first);
      } else {
        history.add(
            new Operation(first.key(), first.words(), invokedNanos, System.nanoTime(), reply));
      }
      pending.remove(0);
    }
  }

  /** Replaces what it has read, unless that is no longer there: a SWAP where it comes to one. */
  private void swapWatched(RawClient client) throws IOException {
    String key = keyPrefix + 2 * random.nextInt((keys + 1) / 2);
    String value = Integer.toString(random.nextInt(VALUES));
    client.send(array("WATCH", key));
    client.reply();
    pending.add(new Operation(key, List.of("GET"), 0, 0, null));
    exchange(client);
    String before = requireNonNull(history.get(history.size() - 1).reply());
    LockSupport.parkNanos(1L << random.nextInt(REST_NANOS_BITS));
    long invokedNanos = System.nanoTime();
    List<String> words = List.of("SWAP", value);
    Operation swap = new Operation(key, words, invokedNanos, Long.MAX_VALUE, null);
    pending.add(swap);
    client.send(array("MULTI") + array("SET", key, value) + array("EXEC"));
    String queued = client.replies(2);
    String reply = client.reply();
    pending.clear();
    if ((queued + reply).contains(REFUSAL)) {
      refused.add(swap);
    } else if (reply.equals("*1|+OK|")) {
      String asOfSwap = "*2|" + before + "+OK|";
      history.add(new Operation(key, words, invokedNanos, System.nanoTime(), asOfSwap));
    } else if (!reply.equals("*-1|")) {
      throw new AssertionError(queued + reply);
    }
  }

  private static String reply(RawClient client, Operation operation) throws IOException {
    if (operation.words().get(0).equals("SWAP")) {
      String before = client.replies(3);
      if (before.contains(REFUSAL)) {
        return before + client.reply();
      }
      if (!before.equals("+OK|+QUEUED|+QUEUED|")) {
        throw new AssertionError(before);
      }
    }
    return client.reply();
  }

  private static String request(Operation operation) {
    String key = operation.key();
    List<String> words = operation.words();
    return switch (words.get(0)) {
      case "CAS" -> array("EVAL", COMPARE_AND_SET, "1", key, words.get(1), words.get(2));
      case "SWAP" ->
          array("MULTI") + array("GET", key) + array("SET", key, words.get(1)) + array("EXEC");
      case "SETNX" -> array("SET", key, words.get(1), "NX");
      case "LRANGE" -> array("LRANGE", key, "0", "-1");
      default ->
          words.size() == 1 ? array(words.get(0), key) : array(words.get(0), key, words.get(1));
    };
  }

  private static String array(String... parts) {
    StringBuilder text = new StringBuilder("*" + parts.length + "|");
    for (String part : parts) {
      text.append('$').append(part.length()).append('|').append(part).append('|');
    }
    return text.toString();
  }

  public void join() throws InterruptedException {
    Thread runner = thread;
    if (runner != null) {
      runner.join();
    }
    if (failure != null) {
      throw new AssertionError(keyPrefix + " failed", failure);
    }
  }

  /**
   * At that moment the server was dead, or wrote again: what was not answered, or refused, is done
   * by then or never. After {@link #join}.
   */
  public void settledBy(long nanos) {
    for (List<Operation> unknown : List.of(pending, refused)) {
      for (Operation operation : unknown) {
        // What was sent to the dead is not done.
        if (operation.invokedNanos() < nanos) {
          history.add(operation.lostBy(nanos));
        }
      }
      unknown.clear();
    }
  }

  /** What was seen. After {@link #join}. */
  public List<Operation> history() {
    return history;
  }
}
