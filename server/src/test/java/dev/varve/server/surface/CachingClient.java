package dev.varve.server.surface;

import dev.varve.server.Await;
import dev.varve.server.command.Replies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A client that reads at random, writes now and then, and keeps what it has read until it is told
 * that it has changed.
 *
 * <p>Single-threaded.
 */
final class CachingClient implements AutoCloseable {
  private static final int READS_MAX = 20;
  private static final long SECONDS_MAX = 10;

  /** What is read; all words of those that name several keys are keys. */
  private static final String READS =
      """
      { GET | STRLEN } { <s> | <n> | <key> }
      { TYPE | EXISTS } <key>
      { MGET | EXISTS } ( <key> )
      GETRANGE <s> 0 3
      GETBIT <b> <bit>
      BITCOUNT <b>
      PFCOUNT <p> <p>
      { HGETALL | HLEN | HKEYS } <h>
      { HGET | HEXISTS } <h> <member>
      LRANGE <l> 0 -1
      LINDEX <l> <index>
      LLEN <l>
      { SMEMBERS | SCARD } <S>
      SISMEMBER <S> <member>
      { SINTER | SUNION } <S> <S>
      ZRANGE <z> 0 -1 WITHSCORES
      { ZSCORE | ZRANK } <z> <member>
      ZCARD <z>
      ZCOUNT <z> <bound> <bound>
      XRANGE <x> - +
      XLEN <x>
      EVAL return{redis.call('type',KEYS[1]),redis.call('exists',KEYS[1])} 1 <key>
      EVAL_RO return{redis.call('strlen',KEYS[1])} 1 <s>
      """;

  /** What it changes itself. */
  private static final String WRITES =
      """
      { SET | APPEND } <s> <value>
      SETBIT <b> <bit> 1
      DEL ( <key> )
      { HSET | HSETNX } <h> <member> <value>
      { LPUSH | RPUSH } <l> <member>
      { LPOP | RPOP } <l>
      { SADD | SREM } <S> <member>
      ZADD <z> <score> <member>
      ZPOPMIN <z>
      RENAME <key> <like>
      EVAL return{redis.call('get',KEYS[1]),redis.call('set',KEYS[1],ARGV[1])} 1 <s> <value>
      """;

  private static final Set<String> OF_SEVERAL_KEYS =
      Set.of("MGET", "EXISTS", "PFCOUNT", "SINTER", "SUNION");

  private static final List<Form> READING = Form.all(READS);
  private static final List<Form> WRITING = Form.all(WRITES);

  private final int port;
  private WireClient client;
  private final Map<List<String>, String> kept = new HashMap<>();
  private final SplittableRandom random;
  private final Words words;
  private final boolean writes;
  private final int mode;
  private final boolean isOptional;

  /**
   * @param writes whether it does so too
   */
  CachingClient(int port, SplittableRandom random, boolean writes) throws IOException {
    this.port = port;
    this.random = random;
    this.writes = writes;
    this.words = new Words(random, false);
    this.mode = random.nextInt(4);
    this.isOptional = mode == 0;
    this.client = connect();
  }

  private WireClient connect() throws IOException {
    WireClient next = new WireClient("varve", port);
    Copies.ask(next, "HELLO", "3");
    switch (mode) {
      case 0 -> Copies.ask(next, "CLIENT", "TRACKING", "on", "OPTIN");
      case 1 -> Copies.ask(next, "CLIENT", "TRACKING", "on", "BCAST");
      default -> Copies.ask(next, "CLIENT", "TRACKING", "on");
    }
    return next;
  }

  /** Connects anew, and has kept nothing then. */
  void comeBack() throws IOException {
    client.close();
    kept.clear();
    client = connect();
  }

  /** Reads at random, and keeps what it is told; writes now and then. */
  void work() throws IOException {
    List<List<String>> requests = new ArrayList<>();
    List<Boolean> isKept = new ArrayList<>();
    boolean isTransaction = !isOptional && random.nextInt(5) == 0;
    for (int i = random.nextInt(READS_MAX); i >= 0; i--) {
      boolean isWrite = writes && random.nextInt(10) == 0;
      List<Form> forms = isWrite ? WRITING : READING;
      requests.addAll(forms.get(random.nextInt(forms.size())).make(words));
      isKept.add(!isWrite);
    }
    List<List<String>> sent = new ArrayList<>();
    if (isTransaction) {
      sent.add(List.of("MULTI"));
    }
    for (List<String> request : requests) {
      if (isOptional) {
        sent.add(List.of("CLIENT", "CACHING", "yes"));
      }
      sent.add(request);
    }
    if (isTransaction) {
      sent.add(List.of("EXEC"));
    }
    client.send(sent);
    if (isTransaction) {
      for (int i = 0; i <= requests.size(); i++) {
        reply();
      }
      String reply = reply();
      if (reply.startsWith("-EXECABORT") || FailingDisk.isMeant(reply)) {
        // All data of a master are just coming, or the disk fails.
        return;
      }
      List<String> replies = Replies.elements(reply);
      for (int i = 0; i < requests.size(); i++) {
        keep(requests.get(i), replies.get(i), isKept.get(i));
      }
      return;
    }
    for (int i = 0; i < requests.size(); i++) {
      if (isOptional) {
        reply();
      }
      keep(requests.get(i), reply(), isKept.get(i));
    }
  }

  private void keep(List<String> request, String reply, boolean isRead) {
    if (isRead && !reply.startsWith("-LOADING") && !FailingDisk.isUnread(reply)) {
      kept.put(request, reply);
    }
  }

  /** The next reply; what it is told before that is gone from what it has kept. */
  private String reply() throws IOException {
    String frame = client.read();
    while (frame.startsWith(">")) {
      told(frame.substring(Messages.INVALIDATE.length()));
      frame = client.read();
    }
    return frame;
  }

  private void told(String keys) {
    if (!keys.startsWith("*")) {
      kept.clear();
      return;
    }
    Set<String> changed = new HashSet<>();
    for (String key : Replies.elements(keys)) {
      changed.add(Replies.text(key));
    }
    kept.keySet().removeIf(request -> keys(request).stream().anyMatch(changed::contains));
  }

  private static List<String> keys(List<String> request) {
    String name = request.get(0);
    if (OF_SEVERAL_KEYS.contains(name)) {
      return request.subList(1, request.size());
    }
    return List.of(request.get(name.startsWith("EVAL") ? 3 : 1));
  }

  /**
   * Fails where it has kept what is not so, and goes on to; returns how much it keeps. Nobody
   * writes meanwhile, but what is due is still being swept.
   *
   * @param plain a client that caches nothing
   */
  int look(WireClient plain) throws IOException {
    Await.untilNone(() -> stale(plain), SECONDS_MAX);
    return kept.size();
  }

  /** The first thing that it would read otherwise. */
  private String stale(WireClient plain) throws IOException {
    Map<List<String>, String> now = new HashMap<>();
    for (List<String> request : kept.keySet()) {
      now.put(request, Copies.ask(plain, request));
    }
    // What it has been told until now.
    client.send(List.of(List.of("PING")));
    reply();
    for (Map.Entry<List<String>, String> its : kept.entrySet()) {
      List<String> request = its.getKey();
      String is = now.getOrDefault(request, "");
      if (!Likeness.isSame(request, is, its.getValue())) {
        return (request + "\nis " + is + "\nkept " + its.getValue()).replace("\r\n", "|");
      }
    }
    return "";
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
