package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;

import java.util.List;

/** Random requests about hashes. */
final class RandomHashRequests {
  private final RandomRequests requests;
  private final RandomWords words;

  RandomHashRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  String[] next() {
    String key = words.key('h');
    if (requests.choosesAtRandom() && words.random().nextInt(15) == 0) {
      return requests.anyOf(
          () -> request("HRANDFIELD", key),
          () -> request("HRANDFIELD", key, words.choiceCount()),
          () -> request("HRANDFIELD", key, words.choiceCount(), "WITHVALUES"));
    }
    return requests.anyOf(
        () -> set(words.anyOf("HSET", "HMSET"), key),
        () -> set("HSET", key),
        () -> set("HSET", key),
        () -> request("HSETNX", key, words.member(), words.value()),
        () -> requests.withSome(request("HDEL", key), parts -> parts.add(words.member())),
        () -> request("HDEL", key, words.member()),
        () -> request("HINCRBY", key, words.member(), words.index()),
        () -> request("HGET", key, words.member()),
        () -> requests.withSome(request("HMGET", key), parts -> parts.add(words.member())),
        () -> request("HLEN", key),
        () -> request("HSTRLEN", key, words.member()),
        () -> request("HEXISTS", key, words.member()),
        () -> request(words.anyOf("HGETALL", "HKEYS", "HVALS"), key));
  }

  private String[] set(String command, String key) {
    return requests.withSome(
        request(command, key), parts -> parts.addAll(List.of(words.member(), words.value())));
  }
}
