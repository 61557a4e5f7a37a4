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
  private final RandomStreamRequests streams;

  RandomRedisRequests(RandomRequests requests) {
    this.requests = requests;
    this.words = requests.words();
    this.streams = new RandomStreamRequests(requests);
  }

  private String[] inexactTrim() {
    return request(
        "XADD", words.key('x'), "MAXLEN", "~", "30", "9-*", words.member(), words.value());
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
        () -> inexactTrim(),
        streams::next,
        streams::next,
        streams::next,
        streams::next,
        streams::next,
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
