package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;

/** Random requests about lists. */
final class RandomListRequests {
  private final RandomRequests requests;
  private final RandomWords words;

  RandomListRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  String[] next() {
    String key = words.key('l');
    return requests.anyOf(
        () -> push(words.anyOf("LPUSH", "RPUSH"), key),
        () -> push(words.anyOf("LPUSH", "RPUSH"), key),
        () -> push(words.anyOf("LPUSH", "RPUSH"), key),
        () -> push(words.anyOf("LPUSHX", "RPUSHX"), key),
        () -> request(words.anyOf("LPOP", "RPOP"), key),
        () -> request(words.anyOf("LPOP", "RPOP"), key, words.count()),
        () -> request("LLEN", key),
        () -> request("LRANGE", key, "0", "-1"),
        () -> request("LRANGE", key, words.index(), words.index()),
        () -> request("LINDEX", key, words.index()),
        () -> request("LSET", key, words.index(), words.value()),
        () -> request("LINSERT", key, side(), words.member(), words.value()),
        () -> request("LINSERT", key, side(), words.member(), words.member()),
        () -> request("LREM", key, words.index(), words.member()),
        () -> request("LTRIM", key, words.index(), words.index()),
        () -> request("LPOS", key, words.member()),
        () -> request("LPOS", key, words.member(), "RANK", words.anyOf("1", "2", "-1", "-3")),
        () -> request("LPOS", key, words.member(), "RANK", "-1", "COUNT", words.count()),
        () -> request("RPOPLPUSH", key, words.key('l')),
        () -> request("LMOVE", key, words.key('l'), end(), end()),
        () -> request("LMPOP", "2", key, words.key('l'), end(), "COUNT", words.count()));
  }

  private String side() {
    return words.anyOf("BEFORE", "AFTER");
  }

  private String end() {
    return words.anyOf("LEFT", "RIGHT");
  }

  private String[] push(String command, String key) {
    return requests.withSome(request(command, key), parts -> parts.add(words.member()));
  }
}
