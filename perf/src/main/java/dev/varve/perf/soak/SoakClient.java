package dev.varve.perf.soak;

import dev.varve.perf.server.RespConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends transactions with random commands on keys of its own, through all the deaths of the server.
 *
 * <p>{@link #run} on a thread of its own, all else while that does not run.
 */
final class SoakClient {
  private static final int COMMANDS = 12;
  private static final String EXPIRING_MILLIS = "1500";

  private final String prefix;
  private final SoakModel model;

  /** The number of the last transaction that was sent; each writes its own. */
  private long sent;

  /** Whether it is not known if that one took effect. */
  private boolean uncertain;

  private volatile long commands;
  private volatile @Nullable String wrong;

  SoakClient(int number, long seed) {
    this.prefix = "c" + number + ":";
    this.model = new SoakModel(prefix, seed + number);
  }

  /** Commands that were answered. Any thread. */
  long commands() {
    return commands;
  }

  /** What differed from the model, or null. Any thread. */
  @Nullable String wrong() {
    return wrong;
  }

  long keys() {
    return model.keys() + (sent > 0 ? 1 : 0);
  }

  /** Works until the server is gone or something is wrong. */
  void run(RespConnection connection) {
    try (connection) {
      while (wrong == null) {
        transaction(connection);
      }
    } catch (IOException gone) {
      // The server was killed or stopped; or it said what no command expects.
      String message = String.valueOf(gone.getMessage());
      if (message.startsWith("the server said")) {
        wrong = message;
      }
    }
  }

  private void transaction(RespConnection connection) throws IOException {
    model.begin();
    uncertain = true;
    sent++;
    List<SoakModel.Request> requests = new ArrayList<>();
    connection.send("MULTI");
    for (int i = 0; i < COMMANDS; i++) {
      SoakModel.Request request = model.next();
      requests.add(request);
      connection.send(request.words().toArray(new String[0]));
    }
    connection.send("SET", prefix + "sent", Long.toString(sent));
    connection.send("EXEC");
    connection.send("SET", "expiring:" + prefix + sent % 5_000, "x", "PX", EXPIRING_MILLIS);
    connection.flush();
    connection.skipReplies(COMMANDS + 2);
    if (connection.arrayHead() != COMMANDS + 1) {
      wrong = "a transaction had another number of replies";
      return;
    }
    for (SoakModel.Request request : requests) {
      check(request, connection.reply());
    }
    connection.skipReplies(2);
    uncertain = false;
    commands += COMMANDS + 4;
  }

  private void check(SoakModel.Request request, long reply) {
    if (reply != request.reply()) {
      List<String> head = request.words().subList(0, Math.min(2, request.words().size()));
      wrong = head + " said " + reply + ", not " + request.reply();
    }
  }

  /** After a start: finds out what became of the last transaction. */
  void settle(RespConnection connection) throws IOException {
    if (!uncertain) {
      return;
    }
    uncertain = false;
    long found =
        sent == 1 && connection.ask("EXISTS", prefix + "sent") == 0 ? 0 : found(connection);
    if (found == sent - 1) {
      model.takeBack();
      sent--;
    } else if (found != sent) {
      wrong = prefix + " is at " + found + ", but " + (sent - 1) + " was acknowledged";
    }
  }

  private long found(RespConnection connection) throws IOException {
    return Long.parseLong(connection.askText("GET", prefix + "sent"));
  }

  /** Compares all keys with the model. */
  void checkEverything(RespConnection connection) throws IOException {
    for (SoakModel.Request size : model.sizes()) {
      check(size, connection.ask(size.words().toArray(new String[0])));
    }
    for (Map.Entry<List<String>, String> entry : model.everything().entrySet()) {
      String text = connection.askText(entry.getKey().toArray(new String[0]));
      if (!text.equals(entry.getValue())) {
        wrong = entry.getKey() + " said " + text + ", not " + entry.getValue();
      }
    }
  }
}
