package dev.varve.server.surface;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One client of both servers.
 *
 * <p>Single-threaded.
 */
final class WirePair implements AutoCloseable {

  /** What one server said: replies, and what came unasked. */
  record Said(List<String> replies, List<String> messages) {}

  /** What both said. */
  record Both(Said redis, Said varve) {
    static Both ofReplies(List<String> redis, List<String> varve) {
      return new Both(new Said(redis, List.of()), new Said(varve, List.of()));
    }
  }

  private static final String CHANNEL = "mark";

  final WireClient redis;
  final WireClient varve;
  private final boolean isResp3;
  private long marks;

  WirePair(int redisPort, int varvePort, boolean isResp3) throws IOException {
    this.redis = new WireClient("redis", redisPort);
    this.varve = new WireClient("varve", varvePort);
    this.isResp3 = isResp3;
    if (isResp3) {
      send(List.of(List.of("HELLO", "3")));
      redis.read();
      varve.read();
    }
  }

  boolean isResp3() {
    return isResp3;
  }

  /** Sends the same to both. */
  void send(List<List<String>> requests) throws IOException {
    redis.send(requests);
    varve.send(requests);
  }

  /** Sends the same to both, and returns what they said until they answered everything. */
  Both ask(List<List<String>> requests) throws IOException {
    String mark = "mark" + ++marks;
    List<List<String>> all = new ArrayList<>(requests);
    all.add(List.of("ECHO", mark));
    send(all);
    String last = "$" + mark.length() + "\r\n" + mark + "\r\n";
    return new Both(until(redis, last), until(varve, last));
  }

  private static Said until(WireClient client, String last) throws IOException {
    Said said = new Said(new ArrayList<>(), new ArrayList<>());
    while (true) {
      String frame;
      try {
        frame = client.read();
      } catch (IOException e) {
        throw new IOException(
            "after " + said.replies.size() + " replies and " + said.messages.size() + " messages",
            e);
      }
      if (frame.equals(last)) {
        return said;
      }
      (frame.startsWith(">") ? said.messages : said.replies).add(frame);
    }
  }

  /** Subscribes to the channel on which {@link #mark} tells how far messages have come. */
  void listen(String... more) throws IOException {
    List<List<String>> requests = new ArrayList<>();
    requests.add(List.of("SUBSCRIBE", CHANNEL));
    if (more.length > 0) {
      requests.add(List.of(more));
    }
    send(requests);
    for (int i = 0; i < requests.size(); i++) {
      redis.read();
      varve.read();
    }
  }

  /** The request that lets all who {@link #listen} know how far messages have come. */
  static List<String> mark(String mark) {
    return List.of("PUBLISH", CHANNEL, mark);
  }

  /** What both said to a client that only listens, up to a mark. */
  Both heard(String mark) throws IOException {
    String last =
        "$7\r\nmessage\r\n$4\r\n" + CHANNEL + "\r\n$" + mark.length() + "\r\n" + mark + "\r\n";
    return new Both(heard(redis, last), heard(varve, last));
  }

  private static Said heard(WireClient client, String last) throws IOException {
    List<String> frames = new ArrayList<>();
    while (true) {
      String frame = client.read();
      if (frame.endsWith(last)) {
        return new Said(List.of(), frames);
      }
      frames.add(frame);
    }
  }

  @Override
  public void close() throws IOException {
    redis.close();
    varve.close();
  }
}
