package dev.varve.server.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Clients of a server that is right, one step at a time, and what they would record.
 *
 * <p>Single-threaded.
 */
final class SimulatedServer {
  private static final int LOST_ONE_IN = 50;

  private final SplittableRandom random;
  private final int keys;
  private final RandomOperations operations = new RandomOperations();
  private final Map<String, String> states = new HashMap<>();
  private final List<Operation> history = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private long nanos;

  private static final class Client {
    @Nullable Operation pending;
    @Nullable String reply;
  }

  SimulatedServer(SplittableRandom random, int clients, int keys) {
    this.random = random;
    this.keys = keys;
    for (int i = 0; i < clients; i++) {
      this.clients.add(new Client());
    }
  }

  /** The history of so many operations. */
  List<Operation> run(int count) {
    for (int begun = 0; begun < count || isAnyPending(); ) {
      Client client = clients.get(random.nextInt(clients.size()));
      nanos += random.nextInt(2);
      Operation pending = client.pending;
      if (pending == null) {
        if (begun < count) {
          begin(client);
          begun++;
        }
      } else if (random.nextInt(LOST_ONE_IN) == 0) {
        history.add(pending.lostBy(nanos));
        client.pending = null;
      } else if (client.reply == null) {
        KeyModel.Step step = KeyModel.step(states.getOrDefault(pending.key(), ""), pending.words());
        states.put(pending.key(), step.state());
        client.reply = step.reply();
      } else {
        history.add(
            new Operation(
                pending.key(), pending.words(), pending.invokedNanos(), nanos, client.reply));
        client.pending = null;
      }
    }
    return history;
  }

  private boolean isAnyPending() {
    return clients.stream().anyMatch(client -> client.pending != null);
  }

  private void begin(Client client) {
    int key = random.nextInt(keys);
    List<String> words = operations.next(key, random);
    client.pending = new Operation("k" + key, words, nanos, Long.MAX_VALUE, null);
    client.reply = null;
  }
}
