package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;

import java.util.List;

/** Random requests about streams and their groups. */
final class RandomStreamRequests {
  /** The groups that there may be. */
  static final List<String> GROUPS = List.of("g", "", "\0");

  private final RandomRequests requests;
  private final RandomWords words;

  RandomStreamRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  String[] next() {
    String key = words.key('x');
    String group = words.anyOf(GROUPS.toArray(String[]::new));
    String consumer = words.anyOf("c", "d", "");
    String id = words.count() + "-" + words.count();
    return requests.anyOf(
        () -> request("XADD", key, "9-*", words.member(), words.value()),
        () -> request("XADD", key, "9-*", words.member(), words.value(), "f", "v"),
        () -> request("XADD", key, "9-*", words.member(), words.value(), "f", "v"),
        () -> request("XADD", key, "MAXLEN", "9", "9-*", words.member(), words.value()),
        () -> request("XADD", key, id, words.member(), words.value()),
        () -> request("XLEN", key),
        () -> request("XRANGE", key, "-", "+"),
        () -> request("XREVRANGE", key, "+", id),
        () -> request("XDEL", key, id, "9-" + words.count()),
        () -> request("XDEL", key, id, "9-" + words.count()),
        () -> request("XTRIM", key, "MINID", "9-" + words.count()),
        () -> request("XREAD", "COUNT", "3", "STREAMS", key, id),
        () -> request("XGROUP", "CREATE", key, group, "0", "MKSTREAM"),
        () -> request("XGROUP", "CREATE", key, group, "0", "MKSTREAM"),
        () -> request("XGROUP", "DELCONSUMER", key, group, consumer),
        () -> request("XGROUP", "CREATECONSUMER", key, group, consumer),
        () -> request("XGROUP", "DESTROY", key, group),
        () -> request("XREADGROUP", "GROUP", group, consumer, "COUNT", "4", "STREAMS", key, ">"),
        () -> request("XREADGROUP", "GROUP", group, consumer, "STREAMS", key, ">"),
        () -> request("XREADGROUP", "GROUP", group, consumer, "STREAMS", key, id),
        () -> request("XACK", key, group, "9-" + words.count(), "9-" + words.count()),
        () -> request("XCLAIM", key, group, consumer, "0", "9-" + words.count(), "JUSTID"),
        () -> request("XAUTOCLAIM", key, group, consumer, "0", id, "COUNT", "2"),
        () -> request("XPENDING", key, group),
        () -> request("XINFO", "GROUPS", key),
        () -> requests.withRenamed(key, words.likeKey(key)));
  }
}
