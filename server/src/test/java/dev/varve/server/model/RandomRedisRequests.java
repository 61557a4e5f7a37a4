package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;

/**
 * Requests that redis-server alone can answer: the model does not know them. None whose reply is
 * open, as ranges by bytes are where scores differ.
 *
 * <p>Single-threaded.
 */
final class RandomRedisRequests {
  private final RandomRequests requests;
  private final RandomWords words;

  RandomRedisRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  private String[] streams() {
    String key = words.key('x');
    String group = words.anyOf("g", "", "\0");
    String consumer = words.anyOf("c", "d", "");
    String id = words.count() + "-" + words.count();
    return requests.anyOf(
        () -> request("XADD", key, "9-*", words.member(), words.value()),
        () -> request("XADD", key, "9-*", words.member(), words.value(), "f", "v"),
        () -> request("XADD", key, "9-*", words.member(), words.value(), "f", "v"),
        () -> request("XADD", key, "MAXLEN", "~", "30", "9-*", words.member(), words.value()),
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
        () -> request("XGROUP", words.anyOf("DESTROY", "CREATECONSUMER"), key, group, consumer),
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

  String[] next() {
    String zset = words.key('z');
    return requests.anyOf(
        () -> request("LCS", words.key('s'), words.key('s'), "IDX", "WITHMATCHLEN"),
        () -> request("BITCOUNT", words.key('s'), words.index(), words.index(), "BIT"),
        () -> request("BITPOS", words.key('s'), "1", words.index(), words.index()),
        () -> request("BITFIELD", words.key('s'), "INCRBY", "i13", "90", "1234", "GET", "u9", "3"),
        () ->
            requests.withSome(request("PFADD", words.key('p')), parts -> parts.add(words.member())),
        () -> request("PFCOUNT", words.key('p')),
        () -> request("PFCOUNT", words.key('p'), words.key('p')),
        () -> request("PFMERGE", words.key('p'), words.key('p')),
        () -> request("GET", words.key('p')),
        () -> streams(),
        () -> streams(),
        () -> streams(),
        () -> streams(),
        () -> streams(),
        () -> streams(),
        () -> request("INCRBYFLOAT", words.key('n'), words.score()),
        () -> request("HINCRBYFLOAT", words.key('h'), words.member(), words.score()),
        () -> request(words.anyOf("ZUNION", "ZINTER"), "2", zset, words.key('z'), "WITHSCORES"),
        () -> request("ZDIFF", "2", zset, words.key('S'), "WITHSCORES"),
        () -> request("ZINTERCARD", "2", zset, words.key('S'), "LIMIT", words.count()),
        () ->
            request("ZUNION", "2", zset, words.key('z'), "WEIGHTS", "2", "0.5", "AGGREGATE", "MIN"),
        () -> request("ZRANGESTORE", words.key('z'), zset, words.index(), words.index(), "REV"),
        () -> request("ZRANGE", zset, words.bound(), words.bound(), "BYSCORE", "LIMIT", "1", "3"),
        () -> request("ZMPOP", "2", zset, words.key('z'), "MAX", "COUNT", words.count()),
        () -> request("SUBSTR", words.key('s'), words.index(), words.index()));
  }
}
