package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.PackedLimits;
import dev.varve.server.command.Message;
import dev.varve.server.command.NoConnection;
import dev.varve.server.command.Session;
import dev.varve.server.command.TreeTester;
import dev.varve.server.resp.Args;
import dev.varve.wal.RealStorageDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scripts and transactions that meet blocks which are not in memory: they run again, as if once.
 */
class ColdScriptTest {
  private static final int KEYS = 200;
  private static final String VALUE = "v".repeat(300);

  private TreeTester tester;
  private Session client;
  private final List<String> messages = new ArrayList<>();

  /** Without a cache, so that each look into a table is cold. */
  @BeforeEach
  void open(@TempDir Path directory) throws IOException {
    tester =
        new TreeTester(
            RealStorageDirectory.open(directory),
            new TreeTester.Sizes(1 << 16, 512, 1 << 15, 0),
            PackedLimits.DEFAULT,
            1_700_000_000_000L);
    client = tester.session();
    for (int i = 0; i < KEYS; i++) {
      run("SET", "key" + i, i + VALUE);
    }
    tester.flush();
    Session subscriber = tester.session();
    subscriber.connection(new Listener());
    tester.run(subscriber, Args.of("SUBSCRIBE", "news"), Role.WRITER, 1);
  }

  @AfterEach
  void close() throws IOException {
    tester.close();
  }

  private String run(String... request) throws IOException {
    return tester.run(client, Args.of(request), Role.WRITER, 1);
  }

  private static String message(String text) {
    return "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$" + text.length() + "\r\n" + text + "\r\n";
  }

  @Test
  void aScriptThatRunsAgainWritesAndPublishesOnce() throws IOException {
    String script =
        "local first = redis.call('publish', 'news', 'one')"
            + " redis.call('incr', 'n')"
            + " local a = redis.call('get', 'key3')"
            + " redis.call('publish', 'news', 'two')"
            + " local b = redis.call('strlen', 'key150')"
            + " redis.call('rpush', 'list', string.sub(a, 1, 1))"
            + " return {first, redis.call('incr', 'n'), b, redis.call('llen', 'list'),"
            + " math.random(1000000) == math.random(1000000)}";
    long missesBefore = tester.statistic("block_cache_misses");
    assertEquals("*5\r\n:1\r\n:2\r\n:303\r\n:1\r\n$-1\r\n", run("EVAL", script, "0"));
    assertEquals(true, tester.statistic("block_cache_misses") > missesBefore, "nothing was cold");
    assertEquals(List.of(message("one"), message("two")), messages);
    assertEquals("$1\r\n2\r\n", run("GET", "n"));
    assertEquals("*1\r\n$1\r\n3\r\n", run("LRANGE", "list", "0", "-1"));
  }

  @Test
  void aScriptThatTakesLongLeavesAndWritesAndPublishesOnce() throws IOException {
    tester.scriptsAreLongAfterAMillisecond();
    String spin = " for i = 1, 3000000 do end ";
    String reads = " local a = redis.call('strlen', KEYS[1])";
    String writes =
        " redis.call('publish', 'news', KEYS[1]) redis.call('incr', 'n')"
            + " redis.call('sadd', 'set', KEYS[1], redis.call('get', KEYS[2]))";
    // It turns out to take long before, between and after what it waits for the disk for.
    String[] scripts = {
      spin + reads + writes, reads + spin + writes, reads + writes + spin, writes + spin + reads
    };
    for (int i = 0; i < scripts.length; i++) {
      String key = "key" + (10 + i);
      String other = "key" + (100 + i);
      String script = scripts[i] + " return {a, redis.call('incr', 'n')}";
      assertEquals("*2\r\n:302\r\n:" + 2 * (i + 1) + "\r\n", run("EVAL", script, "2", key, other));
      assertEquals(i + 1, tester.longRuns());
      assertEquals(List.of(message(key)), messages);
      messages.clear();
      assertEquals(":" + 2 * (i + 1) + "\r\n", run("SCARD", "set"));
    }
    // Nobody waits for the disk with the right to write.
    assertTrue(tester.coldLongRuns() > 0, "none met a cold block when it had left");
    tester.checkConsistent();
    run("MULTI");
    run("INCR", "m");
    run("EVAL", spin + "return redis.call('incr', 'm')", "0");
    run("LPUSH", "wrong", "1");
    run("INCR", "wrong");
    assertEquals(
        "*4\r\n:1\r\n:2\r\n:1\r\n"
            + "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
        run("EXEC"));
    assertEquals(scripts.length + 1, tester.longRuns());
    assertEquals("$1\r\n2\r\n", run("GET", "m"));
  }

  @Test
  void aScriptThatRunsAgainLogsOnce() throws IOException {
    tester.scriptsAreLongAfterAMillisecond();
    PrintStream before = System.err;
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
    try {
      run("MULTI");
      run("EVAL", "redis.log(3, 'line one') redis.call('get', 'key7')", "0");
      String spin = " for i = 1, 3000000 do end";
      run("EVAL", "redis.call('get', 'key150') redis.log(3, 'line two')" + spin, "0");
      run("EXEC");
      run("EVAL", "redis.log(3, 'line one') redis.call('get', 'key90')", "0");
    } finally {
      System.setErr(before);
    }
    String[] lines = logged.toString(StandardCharsets.UTF_8).split("\n");
    List<String> ends = Stream.of(lines).map(line -> line.replaceAll(".*(line )", "$1")).toList();
    assertEquals(List.of("line one", "line two", "line one"), ends);
    assertEquals(1, tester.longRuns());
  }

  @Test
  void aTransactionThatRunsAgainPublishesOnce() throws IOException {
    run("MULTI");
    run("PUBLISH", "news", "one");
    run("GET", "key7");
    run("PUBLISH", "news", "two");
    run("STRLEN", "key120");
    assertEquals("*4\r\n:1\r\n$301\r\n7" + VALUE + "\r\n:1\r\n:303\r\n", run("EXEC"));
    assertEquals(List.of(message("one"), message("two")), messages);
  }

  @Test
  void whatATransactionDoesBesidesDataItDoesOnce() throws IOException {
    String digest = "$40\r\ndfc12be0f58dfc7f38db373bcd9028c98f4dbe00\r\n";
    run("MULTI");
    run("SCRIPT", "EXISTS", "dfc12be0f58dfc7f38db373bcd9028c98f4dbe00");
    run("GET", "key7");
    run("SCRIPT", "LOAD", "return'loaded'");
    run("STRLEN", "key120");
    assertEquals("*4\r\n*1\r\n:0\r\n$301\r\n7" + VALUE + "\r\n" + digest + ":303\r\n", run("EXEC"));
  }

  @Test
  void aScriptThatFailsAfterAColdReadStillPublishesWhatItHad() throws IOException {
    String reply =
        run("EVAL", "redis.call('publish', 'news', redis.call('get', 'key9')) error('x')", "0");
    assertEquals(true, reply.startsWith("-ERR user_script:1: x script: "), reply);
    assertEquals(List.of(message("9" + VALUE)), messages);
  }

  @Test
  void messagesComeBetweenWhatHappensToKeys() throws IOException {
    tester.publishEvents("Ex$");
    Session subscriber = tester.session();
    subscriber.connection(new Listener());
    tester.run(subscriber, Args.of("SUBSCRIBE", "__keyevent@0__:set"), Role.WRITER, 1);
    String event = "*3\r\n$7\r\nmessage\r\n$18\r\n__keyevent@0__:set\r\n$1\r\n";
    List<String> inOrder = List.of(event + "a\r\n", message("between"), event + "b\r\n");
    run("MULTI");
    run("SET", "a", "1");
    run("PUBLISH", "news", "between");
    run("SET", "b", "1");
    run("EXEC");
    assertEquals(inOrder, messages);
    messages.clear();
    String calls =
        "redis.call('set', 'a', '1') redis.call('publish', 'news', 'between')"
            + " redis.call('set', 'b', redis.call('strlen', 'key7'))";
    run("EVAL", calls, "0");
    assertEquals(inOrder, messages);
    messages.clear();
    tester.scriptsAreLongAfterAMillisecond();
    run("EVAL", calls + " for i = 1, 3000000 do end", "0");
    assertEquals(1, tester.longRuns());
    assertEquals(inOrder, messages);
  }

  @Test
  void aScriptThatRunsAgainDrawsTheSameNumbers() throws IOException {
    String reads =
        "local read = 0 for i = 1, 4 do"
            + " read = read + redis.call('strlen', 'key' .. math.random(0, 199)) end"
            + " return read > 0";
    // Interpreters of other threads are where they begin.
    run("EVAL", "for i = 1, 5 do math.random() end", "0");
    assertEquals(":1\r\n", run("EVAL", reads, "0"));
    run("MULTI");
    run("EVAL", reads, "0");
    run("EVAL", reads, "0");
    assertEquals("*2\r\n:1\r\n:1\r\n", run("EXEC"));
  }

  @Test
  void aScriptThatRunsAgainIsToldTheSameTime() throws IOException {
    String reads =
        "math.randomseed(redis.call('t.nanos')) local read = 0 for i = 1, 4 do"
            + " read = read + redis.call('strlen', 'key' .. math.random(0, 199)) end"
            + " return read > 0";
    assertEquals(":1\r\n", run("EVAL", reads, "0"));
    run("MULTI");
    run("T.NANOS");
    run("EVAL", reads, "0");
    assertEquals(true, run("EXEC").endsWith(":1\r\n"));
  }

  private static final String LIBRARY =
      "#!lua name=lib\n"
          + "local n, seen, list, made = 0, {}, {}, nil\n"
          + "local function read(i) return redis.call('strlen', 'key' .. i) end\n"
          + "redis.register_function('count', function(keys)"
          + " n = n + 1 read(n % 200) read(n * 7 % 200) return n end)\n"
          + "redis.register_function('once', function(keys)"
          + " if seen[keys[1]] then return 'again' end seen[keys[1]] = true"
          + " redis.call('strlen', keys[1]) redis.call('incr', 'times') return 'first' end)\n"
          + "redis.register_function('add', function(keys)"
          + " list[#list + 1] = keys[1] redis.call('strlen', keys[1])"
          + " table.insert(list, 1, keys[1]) redis.call('strlen', keys[2])"
          + " return #list end)\n"
          + "redis.register_function('make', function(keys)"
          + " if made then return made.text .. tostring(getmetatable(made) ~= nil) end"
          + " made = setmetatable({text = 'x'}, {__index = seen})"
          + " redis.call('strlen', keys[1]) made.text = 'y' redis.call('strlen', keys[2])"
          + " return 'made' end)\n"
          + "local words\n"
          + "redis.register_function('word', function(keys)"
          + " words = words or string.gmatch(string.rep('a b c ', 100), '%a')"
          + " local word = words() redis.call('strlen', keys[1]) return word end)\n"
          + "redis.register_function('spin', function(keys)"
          + " n = n + 1 for i = 1, 3000000 do end read(n % 200) return n end)\n"
          + "redis.register_function('depth', function(keys)"
          + " local was = cjson.encode_max_depth() cjson.encode_max_depth(was - 1)"
          + " redis.call('strlen', keys[1]) return was end)\n";

  private static String text(String text) {
    return "$" + text.length() + "\r\n" + text + "\r\n";
  }

  @Test
  void whatALibraryKeepsIsChangedAsOftenAsItsFunctionIsCalled() throws IOException {
    assertEquals(text("lib"), run("FUNCTION", "LOAD", LIBRARY));
    for (int i = 1; i <= 30; i++) {
      assertEquals(":" + i + "\r\n", run("FCALL", "count", "0"));
      assertEquals(text("first"), run("FCALL", "once", "1", "key" + (i + 100)));
      assertEquals(text("again"), run("FCALL", "once", "1", "key" + (i + 100)));
      assertEquals(text(Integer.toString(i)), run("GET", "times"));
      assertEquals(":" + 2 * i + "\r\n", run("FCALL", "add", "2", "key" + i, "key" + (199 - i)));
      assertEquals(":" + (1001 - i) + "\r\n", run("FCALL", "depth", "1", "key" + (60 + i)));
      String word = String.valueOf((char) ('a' + (i - 1) % 3));
      assertEquals(text(word), run("FCALL", "word", "1", "key" + (130 + i)));
    }
    assertEquals(text("made"), run("FCALL", "make", "2", "key77", "key178"));
    assertEquals(text("ytrue"), run("FCALL", "make", "2", "key78", "key179"));
  }

  @Test
  void whatALibraryKeepsIsChangedOnceByAFunctionThatTakesLong() throws IOException {
    run("FUNCTION", "LOAD", LIBRARY);
    tester.scriptsAreLongAfterAMillisecond();
    for (int i = 1; i <= 10; i++) {
      assertEquals(":" + (2 * i - 1) + "\r\n", run("FCALL", "spin", "0"));
      assertEquals(":" + 2 * i + "\r\n", run("FCALL", "count", "0"));
    }
    assertTrue(tester.longRuns() >= 10, "none took long");
  }

  @Test
  void whatALibraryKeepsIsChangedOnceByATransactionThatIsRehearsed() throws IOException {
    run("FUNCTION", "LOAD", LIBRARY);
    for (int i = 1; i <= 10; i++) {
      run("MULTI");
      run("FCALL", "add", "2", "key" + i, "key" + (199 - i));
      run("T.ACT");
      run("STRLEN", "key" + (100 + i));
      run("FCALL", "once", "1", "key" + i);
      String expected = "*4\r\n:" + 2 * i + "\r\n+OK\r\n:303\r\n" + text("first");
      assertEquals(expected, run("EXEC"));
      assertEquals(i, tester.acts);
    }
  }

  /** It cannot be lent, and what a worker brings is of no use: that ends. */
  @Test
  void aRehearsedTransactionWhoseFunctionNeverFindsItsBlocksFails() throws IOException {
    run("FUNCTION", "LOAD", LIBRARY);
    run("FCALL", "count", "0");
    run("MULTI");
    run("SET", "before", "1");
    run("T.ACT");
    run("FCALL", "count", "0");
    String reply = run("EXEC");
    assertTrue(reply.contains("-ERR Function reads other keys than it did"), reply);
    assertEquals(1, tester.acts);
    // As of any function that fails, what came before stays.
    assertEquals(text("1"), run("GET", "before"));
    assertEquals(":3\r\n", run("FCALL", "count", "0"));
  }

  /** A worker's own library would read other keys, so that what it brings is of no use. */
  @Test
  void aFunctionThatReadsWhatItsLibrarySaysComesToItsEnd() throws IOException {
    run(
        "FUNCTION",
        "LOAD",
        "#!lua name=lib\nlocal n = 0\n"
            + "redis.register_function('next', function()"
            + " local read = redis.call('strlen', 'key' .. n) n = n + 9"
            + " redis.call('set', 'at', n) return read end)");
    for (int i = 0; i < 20; i++) {
      int digits = Integer.toString(9 * i).length();
      assertEquals(":" + (VALUE.length() + digits) + "\r\n", run("FCALL", "next", "0"));
      assertEquals(text(Integer.toString(9 * (i + 1))), run("GET", "at"));
    }
  }

  /** Does to its variables what it is told to, and reads keys, or takes long, in between. */
  private static final String MODEL =
      "#!lua name=lib\n"
          + "local t, n, f = {a = {}, b = {}, c = {}}, 0, nil\n"
          + "local does = {\n"
          + "set = function(x, k, v) x[k] = v end,\n"
          + "push = function(x, k, v) x[#x + 1] = v end,\n"
          + "insert = function(x, k, v) table.insert(x, 1, v) end,\n"
          + "drop = function(x, k) x[k] = nil end,\n"
          + "pop = function(x) table.remove(x) end,\n"
          + "sort = function(x) table.sort(x) end,\n"
          + "count = function(x, k, v) n = n + 1 end,\n"
          + "keep = function(x, k, v) local m = 0 f = function() m = m + 1 return m .. v end end,\n"
          + "call = function() if f then f() end end,\n"
          + "meta = function(x, k, v) setmetatable(x, {__index = function() return v end}) end,\n"
          + "new = function(x, k, v) t[k] = {v, [v] = k} end,\n"
          + "fill = function(x) for i = 1, 40 do x[i] = i x['f' .. i] = i end end,\n"
          + "read = function(x, k) redis.call('strlen', 'key' .. k) end,\n"
          + "spin = function() for i = 1, 300000 do end end}\n"
          + "local function show(x) local all = {} for k, v in pairs(x) do"
          + " all[#all + 1] = tostring(k) .. '=' .. (type(v) == 'table' and show2(v) or tostring(v)) end"
          + " return #x .. '{' .. table.concat(all, ',') .. '}' .. tostring(x.none) end\n"
          + "redis.register_function('model', function(keys, args)"
          + " for i = 1, #args, 3 do"
          + " local x = t[keys[1]] or t.a does[args[i]](x, args[i + 1], args[i + 2]) end"
          + " local shown = {} for k, x in pairs(t) do shown[#shown + 1] = k .. show(x) end"
          + " return table.concat(shown, ' ') .. ' ' .. n .. (f and f() or '') end)\n";

  private static final String[] OPERATIONS =
      ("set set push push insert drop pop sort count count keep call call meta new fill read read"
              + " spin")
          .split(" ");

  @Test
  void whatALibraryKeepsIsAsWhereAllIsInMemory(@TempDir Path directory) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    tester.scriptsAreLongAfterAMillisecond();
    try (TreeTester warm = TreeTester.roomy(directory)) {
      Session its = warm.session();
      String library = MODEL.replace("show2(v)", "'table'");
      assertEquals(
          run("FUNCTION", "LOAD", library),
          warm.run(its, Args.of("FUNCTION", "LOAD", library), Role.WRITER, 1));
      for (int call = 0; call < 400; call++) {
        List<String> words = new ArrayList<>(List.of("FCALL", "model", "1"));
        words.add(String.valueOf((char) ('a' + random.nextInt(4))));
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
          words.add(OPERATIONS[random.nextInt(OPERATIONS.length)]);
          words.add(Integer.toString(random.nextInt(random.nextBoolean() ? 4 : KEYS)));
          words.add("v" + random.nextInt(10));
        }
        String[] request = words.toArray(String[]::new);
        assertEquals(
            warm.run(its, Args.of(request), Role.WRITER, 1),
            run(request),
            "seed " + seed + ", call " + call + ": " + words);
      }
    }
    assertTrue(tester.longRuns() > 0, "none took long");
  }

  /** Keeps what is sent to its client. */
  private final class Listener extends NoConnection {
    @Override
    public void push(Message message) {
      messages.add(new String(message.bytes(), StandardCharsets.ISO_8859_1));
    }

    @Override
    public void send(Message message) {
      push(message);
    }
  }
}
