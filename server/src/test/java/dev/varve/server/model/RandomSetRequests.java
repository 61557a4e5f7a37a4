package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;
import static dev.varve.server.model.RandomRequests.with;

/** Random requests about sets. */
final class RandomSetRequests {
  private final RandomRequests requests;
  private final RandomWords words;

  RandomSetRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  String[] next() {
    String key = words.key('S');
    if (requests.choosesAtRandom() && words.random().nextInt(8) == 0) {
      return requests.anyOf(
          () -> request("SPOP", key),
          () -> request("SPOP", key, words.count()),
          () -> request("SRANDMEMBER", key),
          () -> request("SRANDMEMBER", key, words.choiceCount()));
    }
    return requests.anyOf(
        () -> add(key),
        () -> add(key),
        () -> add(key),
        () -> requests.withSome(request("SREM", key), parts -> parts.add(words.member())),
        () -> request("SREM", key, words.member()),
        () -> request("SMOVE", key, words.key('S'), words.member()),
        () -> request("SCARD", key),
        () -> request("SISMEMBER", key, words.member()),
        () -> requests.withSome(request("SMISMEMBER", key), parts -> parts.add(words.member())),
        () -> request("SMEMBERS", key),
        () -> request(words.anyOf("SINTER", "SUNION", "SDIFF"), key, words.key('S')),
        () -> with(store(), key, words.key('S'), words.key('S')),
        () -> with(store(), key, words.key('S')),
        () -> request("SINTERCARD", "2", key, words.key('S'), "LIMIT", words.count()));
  }

  private String[] store() {
    return request(words.anyOf("SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"), words.key('S'));
  }

  private String[] add(String key) {
    return requests.withSome(request("SADD", key), parts -> parts.add(words.member()));
  }
}
