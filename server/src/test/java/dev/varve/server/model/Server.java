package dev.varve.server.model;

import dev.varve.codec.PackedLimits;
import dev.varve.codec.format.Slice;
import dev.varve.codec.string.HyperLogLog;
import dev.varve.server.command.Replies;
import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.command.run.Role;
import dev.varve.server.resp.Args;
import dev.varve.wal.CrashableStorageDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The server under test: the tree in a directory that can crash, and clients to it, through stops
 * and starts.
 *
 * <p>Single-threaded.
 */
final class Server {
  private static final int CLIENTS = 2;

  private final TreeTester.Sizes sizes;
  private final PackedLimits packedLimits;
  private CrashableStorageDirectory directory = new CrashableStorageDirectory();
  private TreeTester tester;
  private final List<Session> clients = new ArrayList<>();
  private Session observer;

  /** Of every so many requests one comes in on another loop. */
  private int otherLoopEvery = 3;

  private @Nullable SplittableRandom passes;

  private @Nullable SplittableRandom someLong;

  Server(TreeTester.Sizes sizes, PackedLimits packedLimits, long nowMillis) throws IOException {
    this.sizes = sizes;
    this.packedLimits = packedLimits;
    tester = new TreeTester(directory, sizes, packedLimits, nowMillis);
    observer = tester.session();
    connect();
  }

  TreeTester tester() {
    return tester;
  }

  /** As {@link TreeTester#joinPasses}: few requests come in on other loops then, which end one. */
  void joinPasses(SplittableRandom random) {
    passes = random;
    otherLoopEvery = 40;
    tester.joinPasses(random);
  }

  /** As {@link TreeTester#someAreLong}. */
  void someAreLong(SplittableRandom random) {
    someLong = random;
    tester.someAreLong(random);
  }

  /** Lets the power fail inside so many changing calls of the directory from now on. */
  void failPowerAt(int calls, SplittableRandom random) {
    directory.crashAtCall(calls, new Random(random.nextLong()));
  }

  private void connect() {
    clients.clear();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(tester.session());
    }
    observer = tester.session();
  }

  private void open(long nowMillis) throws IOException {
    tester = new TreeTester(directory, sizes, packedLimits, nowMillis);
    if (passes != null) {
      tester.joinPasses(passes);
    }
    if (someLong != null) {
      tester.someAreLong(someLong);
    }
    connect();
  }

  /** Stops in peace and starts again. */
  void restart() throws IOException {
    long nowMillis = tester.nowMillis;
    tester.close();
    open(nowMillis);
  }

  /** The power fails: of what was not synced each sector survives with some probability. */
  void crash(SplittableRandom random) throws IOException {
    long nowMillis = tester.nowMillis;
    double keepFraction = random.nextInt(3) / 2.0;
    CrashableStorageDirectory found = directory.crash(new Random(random.nextLong()), keepFraction);
    tester.abandon();
    directory = found;
    open(nowMillis);
  }

  /** The process is killed. */
  void kill() throws IOException {
    long nowMillis = tester.nowMillis;
    CrashableStorageDirectory found = directory.kill();
    tester.abandon();
    directory = found;
    open(nowMillis);
  }

  /** The reply to a client's request, which came in on one of several loops. */
  String run(int client, String[] request, SplittableRandom random) throws IOException {
    Role first = random.nextInt(otherLoopEvery) == 0 ? Role.READER : Role.WRITER;
    return tester.run(clients.get(client), args(request), first, random.nextLong());
  }

  /** The reply to a request of somebody who is no part of the test. */
  String look(String... request) throws IOException {
    return tester.run(observer, args(request), Role.WRITER, 1);
  }

  static Args args(String[] request) {
    byte[][] parts = new byte[request.length][];
    for (int i = 0; i < request.length; i++) {
      parts[i] = request[i].getBytes(StandardCharsets.ISO_8859_1);
    }
    return new Args(parts, parts.length);
  }

  /** Everything that is there, sorted, as {@link ModelDump} writes it. */
  List<String> dump() throws IOException {
    List<String> lines = new ArrayList<>();
    for (int database = 0; database < TreeTester.DATABASES; database++) {
      look("SELECT", Integer.toString(database));
      TreeSet<String> keys = new TreeSet<>(scan("SCAN", ""));
      for (String key : keys) {
        lines.add(dump(database, key));
      }
    }
    return lines;
  }

  private String dump(int database, String key) throws IOException {
    String type = look("TYPE", key);
    String content =
        switch (type.strip()) {
          case "+string" -> RandomLoneRequests.isSketch(key) ? sketch(key) : look("GET", key);
          case "+hash" -> Replies.sorted(look("HGETALL", key), 2) + fieldExpiries(key);
          case "+list" -> look("LRANGE", key, "0", "-1");
          case "+set" -> Replies.sorted(look("SMEMBERS", key), 1);
          case "+zset" -> look("ZRANGE", key, "0", "-1", "WITHSCORES");
          case "+stream" -> stream(key);
          default -> "nothing";
        };
    return ModelDump.line(database, key, look("PEXPIRETIME", key), content);
  }

  /** The entries of a stream, its groups, and what each has pending. */
  private String stream(String key) throws IOException {
    StringBuilder text = new StringBuilder(look("XRANGE", key, "-", "+"));
    text.append(look("XINFO", "GROUPS", key));
    for (String group : RandomStreamRequests.GROUPS) {
      String pending = look("XPENDING", key, group, "-", "+", "1000000");
      text.append(pending.startsWith("-NOGROUP") ? "" : pending);
    }
    return text.toString();
  }

  /** What a HyperLogLog counts, and its registers: different ones may count the same. */
  private String sketch(String key) throws IOException {
    String count = look("PFCOUNT", key);
    byte[] bytes = Replies.text(look("GET", key)).getBytes(StandardCharsets.ISO_8859_1);
    byte[] registers = new byte[HyperLogLog.REGISTERS];
    new HyperLogLog(Slice.of(bytes)).mergeInto(registers);
    return count + ModelSketch.text(registers);
  }

  /** When the fields of a hash expire, in the order of the fields. */
  private String fieldExpiries(String key) throws IOException {
    TreeSet<String> fields = new TreeSet<>();
    Replies.elements(look("HKEYS", key)).forEach(field -> fields.add(Replies.text(field)));
    List<String> request =
        new ArrayList<>(List.of("HPEXPIRETIME", key, "FIELDS", Integer.toString(fields.size())));
    request.addAll(fields);
    return look(request.toArray(String[]::new));
  }

  /**
   * All elements that a scan in small steps returns, with those of one page as they come.
   *
   * @param key what is scanned, unless it is the keyspace
   */
  List<String> scan(String command, String key) throws IOException {
    List<String> found = new ArrayList<>();
    String cursor = "0";
    do {
      String reply =
          command.equals("SCAN")
              ? look("SCAN", cursor, "COUNT", "7")
              : look(command, key, cursor, "COUNT", "7");
      List<String> page = Replies.elements(reply);
      Replies.elements(page.get(1)).forEach(element -> found.add(Replies.text(element)));
      cursor = Replies.text(page.get(0));
    } while (!cursor.equals("0"));
    return found;
  }
}
