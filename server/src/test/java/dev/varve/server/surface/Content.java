package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server said that it has in a database: the same requests where it has the same keys, of
 * the same types.
 */
record Content(List<List<String>> requests, List<String> replies) {

  /** Asks for all that is there, the names of keys first. The database stays selected. */
  static Content of(WireClient client, String database) throws IOException {
    Content content = new Content(new ArrayList<>(), new ArrayList<>());
    content.ask(client, List.of(List.of("SELECT", database), List.of("KEYS", "*")));
    List<String> keys = new ArrayList<>();
    List<List<String>> looks = new ArrayList<>();
    for (String key : Replies.elements(content.replies.get(1)).stream().sorted().toList()) {
      String name = key.substring(key.indexOf('\n') + 1, key.length() - 2);
      keys.add(name);
      looks.add(List.of("PEXPIRETIME", name));
      looks.add(List.of("TYPE", name));
    }
    int from = content.replies.size();
    content.ask(client, looks);
    List<List<String>> reads = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      String type = content.replies.get(from + 2 * i + 1);
      reads.add(read(type.substring(1, type.length() - 2), keys.get(i)));
    }
    content.ask(client, reads);
    return content;
  }

  private void ask(WireClient client, List<List<String>> more) throws IOException {
    requests.addAll(more);
    List<String> its = client.ask(more);
    for (String reply : its) {
      if (FailingDisk.isUnread(reply)) {
        throw new UnreadException(reply);
      }
    }
    replies.addAll(its);
  }

  /** The server said that its disk fails. */
  static final class UnreadException extends IOException {
    private static final long serialVersionUID = 1L;

    UnreadException(String reply) {
      super(reply);
    }
  }

  /** Reads all that a value of that type has. */
  private static List<String> read(String type, String key) {
    return switch (type) {
      case "string" -> List.of("GET", key);
      case "list" -> List.of("LRANGE", key, "0", "-1");
      case "set" -> List.of("SMEMBERS", key);
      case "hash" -> List.of("HGETALL", key);
      case "zset" -> List.of("ZRANGE", key, "0", "-1", "WITHSCORES");
      case "stream" -> List.of("XINFO", "STREAM", key, "FULL", "COUNT", "0");
      // It has just expired.
      case "none" -> List.of("EXISTS", key);
      default -> throw new AssertionError(key + ": " + type);
    };
  }

  /** What another server has not alike, or null. */
  @Nullable String difference(Content other) {
    for (int i = 0; i < requests.size(); i++) {
      // Where these are others, a reply before was another one, too.
      if (!Likeness.isSame(requests.get(i), replies.get(i), other.replies.get(i))) {
        return difference(requests.get(i), replies.get(i), other.replies.get(i));
      }
    }
    return null;
  }

  static String difference(List<String> request, String theirs, String ours) {
    return (request + "\nredis " + theirs + "\nvarve " + ours).replace("\r\n", "|");
  }
}
