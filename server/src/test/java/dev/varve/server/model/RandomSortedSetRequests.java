package dev.varve.server.model;

import static dev.varve.server.model.RandomRequests.request;
import static dev.varve.server.model.RandomRequests.with;

import java.util.List;

/** Random requests about sorted sets. */
final class RandomSortedSetRequests {
  private final RandomRequests requests;
  private final RandomWords words;

  RandomSortedSetRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
  }

  String[] next() {
    String key = words.key('z');
    if (requests.choosesAtRandom() && words.random().nextInt(15) == 0) {
      return requests.anyOf(
          () -> request("ZRANDMEMBER", key),
          () -> request("ZRANDMEMBER", key, words.choiceCount()),
          () -> request("ZRANDMEMBER", key, words.choiceCount(), "WITHSCORES"));
    }
    return words.random().nextInt(3) == 0 ? read(key) : write(key);
  }

  private String[] write(String key) {
    return requests.anyOf(
        () -> add(request("ZADD", key)),
        () -> add(request("ZADD", key)),
        () -> add(request("ZADD", key)),
        () -> add(request("ZADD", key, words.anyOf("NX", "XX", "GT", "LT"), "CH")),
        () -> add(request("ZADD", key, "XX", words.anyOf("GT", "LT"))),
        () -> request("ZADD", key, "INCR", words.score(), words.member()),
        () -> request("ZADD", key, words.anyOf("NX", "XX"), "INCR", words.score(), words.member()),
        () -> request("ZINCRBY", key, words.score(), words.member()),
        () -> requests.withSome(request("ZREM", key), parts -> parts.add(words.member())),
        () -> request(words.anyOf("ZPOPMIN", "ZPOPMAX"), key),
        () -> request(words.anyOf("ZPOPMIN", "ZPOPMAX"), key, words.count()),
        () -> request("ZREMRANGEBYRANK", key, words.index(), words.index()),
        () -> request("ZREMRANGEBYSCORE", key, words.score(), words.score()),
        () -> store(key));
  }

  private String[] read(String key) {
    return requests.anyOf(
        () -> request("ZCARD", key),
        () -> request("ZSCORE", key, words.member()),
        () -> request("ZMSCORE", key, words.member(), words.member()),
        () -> request(words.anyOf("ZRANK", "ZREVRANK"), key, words.member()),
        () -> request(words.anyOf("ZRANGE", "ZREVRANGE"), key, "0", "-1", "WITHSCORES"),
        () -> request("ZRANGE", key, words.index(), words.index(), "REV"),
        () -> request("ZREVRANGE", key, words.index(), words.index()),
        () -> byScore(key),
        () -> with(byScore(key), "LIMIT", words.anyOf("0", "1", "5"), words.index()),
        () -> request("ZCOUNT", key, words.bound(), words.bound()));
  }

  private String[] byScore(String key) {
    return request(
        words.anyOf("ZRANGEBYSCORE", "ZREVRANGEBYSCORE"),
        key,
        words.bound(),
        words.bound(),
        "WITHSCORES");
  }

  private String[] store(String key) {
    String command = words.anyOf("ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE");
    String other = words.anyOf(words.key('z'), words.key('S'));
    return request(command, words.key('z'), "2", key, other);
  }

  private String[] add(String[] request) {
    return requests.withSome(
        request, parts -> parts.addAll(List.of(words.score(), words.member())));
  }
}
