package dev.varve.server.command.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.resp.Args;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries of functions: replies are redis-server's. */
class FunctionDifferentialTest {
  private static final String LOAD_OF = "#!lua name=";

  @TempDir Path directory;

  private final List<Args> requests = new ArrayList<>();

  private void add(String... request) {
    requests.add(Args.of(request));
  }

  /** Loads a library of this body in the place of the one of that name. */
  private void load(String name, String body) {
    add("FUNCTION", "LOAD", "REPLACE", LOAD_OF + name + "\n" + body);
  }

  /** A function {@code f} of a library that has no other. */
  private void function(String body) {
    load("l", "redis.register_function('f', function(keys, args) " + body + " end)");
  }

  private void check() throws IOException, InterruptedException {
    List<String> differences = new ArrayList<>();
    CommandTester tester =
        new CommandTester((table, keyspace) -> ConnectionCommands.register(table, keyspace));
    try (RedisOracle oracle = RedisOracle.start(directory)) {
      for (Args request : requests) {
        String wanted = oracle.run(request);
        String got = tester.run(tester.client(), request);
        if (!wanted.equals(got)) {
          differences.add(request + "\n  redis: " + wanted + "  here:  " + got);
        }
      }
    }
    assertEquals(List.of(), differences, () -> String.join("\n", differences));
  }

  @Test
  void librariesAreLoadedAsInRedis() throws IOException, InterruptedException {
    String plain = "\nredis.register_function('f', function() return 'hello' end)";
    add("FUNCTION", "LOAD", "#!lua name=test" + plain);
    add("FUNCTION", "LOAD", "#!lua name=test" + plain);
    add("FUNCTION", "LOAD", "REPLACE", "#!LUA name=test" + plain);
    add("FUNCTION", "LOAD", "foo", "#!lua name=test" + plain);
    add("FUNCTION", "LOAD", "#!lua name=other" + plain);
    add("FUNCTION", "LOAD", "REPLACE");
    add("FUNCTION", "LOAD");
    add("FUNCTION", "LOAD", "#!bad name=x\nfoo");
    add("FUNCTION", "LOAD", "#!lua name=x");
    add("FUNCTION", "LOAD", "return 1");
    add("FUNCTION", "LOAD", "#!lua\n");
    add("FUNCTION", "LOAD", "#!lua name=\n");
    add("FUNCTION", "LOAD", "#!lua name=a b=c\n");
    add("FUNCTION", "LOAD", "#!lua name=a name=b\n");
    add("FUNCTION", "LOAD", "#!lua name='bad name'\n");
    add("FUNCTION", "LOAD", "#!lua name=\"open\n");
    add("FUNCTION", "LOAD", "#!lua NAME='quoted'\nredis.register_function('q', function() end)");
    add("FUNCTION", "LOAD", "\u0000");
    load("l", "return +");
    load("l", "");
    load("l", "local x = math.floor(1)");
    load("l", "error('x')");
    load("l", "redis.call('ping')");
    load("l", "redis.setresp(3)");
    load("l", "redis.log(redis.LOG_WARNING)");
    load("l", "redis.nosuch()");
    load("l", "local a = nosuch");
    load("l", "global = 1");
    load("l", "redis.x = 1");
    load("l", "local a = nil + 1");
    load("l", "while true do end");
    load("l", "redis.register_function()");
    load("l", "redis.register_function('f')");
    load("l", "redis.register_function(1)");
    load("l", "redis.register_function('f', 1)");
    load("l", "redis.register_function(nil, function() end)");
    load("l", "redis.register_function(1, function() end)");
    load("l", "redis.register_function({}, function() end)");
    load("l", "redis.register_function('f', function() end, 3)");
    load("l", "redis.register_function('', function() end)");
    load("l", "redis.register_function('a b', function() end)");
    load("l", "redis.register_function('x', function() end) redis.register_function('x', 1)");
    load("l", "for i = 1, 2 do redis.register_function('x', function() end) end");
    load("l", "redis.register_function{}");
    load("l", "redis.register_function{function_name='x'}");
    load("l", "redis.register_function{callback=function() end}");
    load("l", "redis.register_function{callback=1}");
    load("l", "redis.register_function{function_name={}}");
    load("l", "redis.register_function{description={}}");
    load("l", "redis.register_function{flags='no-writes'}");
    load("l", "redis.register_function{flags={'nosuch'}}");
    load("l", "redis.register_function{flags={{}}}");
    load("l", "redis.register_function{nosuch=1}");
    load("l", "redis.register_function{[{}]=1}");
    load(
        "l",
        "redis.register_function{Function_Name='x', CALLBACK=function() return 'x' end,"
            + " description='what it does', flags={'no-writes', 'ALLOW-OOM', 'allow-stale',"
            + " 'no-cluster', 'allow-cross-slot-keys'}}");
    add("FCALL", "x", "0");
    add("FUNCTION", "LIST", "LIBRARYNAME", "l");
    add("FUNCTION", "LIST", "LIBRARYNAME", "L", "WITHCODE");
    add("FUNCTION", "LIST", "withcode", "libraryname", "l*");
    add("FUNCTION", "LIST", "LIBRARYNAME", "nosuch");
    add("FUNCTION", "LIST", "LIBRARYNAME");
    add("FUNCTION", "LIST", "x");
    add("FUNCTION", "LIST", "WITHCODE", "WITHCODE");
    add("FUNCTION", "STATS");
    add("FUNCTION", "STATS", "x");
    add("FUNCTION", "KILL");
    add("SCRIPT", "KILL");
    add("FUNCTION", "NOSUCH");
    add("FUNCTION", "DELETE", "nosuch");
    add("FUNCTION", "DELETE", "L");
    add("FUNCTION", "DELETE", "l");
    add("FCALL", "x", "0");
    add("FLUSHALL");
    add("FCALL", "F", "0");
    add("FUNCTION", "FLUSH", "NOW");
    add("FUNCTION", "FLUSH", "SYNC", "x");
    add("FUNCTION", "FLUSH", "ASYNC");
    add("FUNCTION", "LIST");
    add("FCALL", "f", "0");
    check();
  }

  @Test
  void functionsRunAsInRedis() throws IOException, InterruptedException {
    function("return {keys[1], args[1], #keys, #args}");
    add("FCALL", "f", "1", "k", "a", "b");
    add("FCALL", "f", "x");
    add("FCALL", "f", "1");
    add("FCALL", "f", "-1");
    add("FCALL", "f");
    add("FCALL_RO", "f", "0");
    add("FCALL", "nosuch", "x");
    function("return redis.call('set', keys[1], args[1])");
    add("FCALL", "f", "1", "k", "v");
    add("GET", "k");
    function("error('x')");
    add("FCALL", "F", "0");
    function("error({err='MY x'})");
    add("FCALL", "f", "0");
    function("return redis.call('nosuch')");
    add("FCALL", "f", "0");
    function("return redis.pcall('nosuch')");
    add("FCALL", "f", "0");
    function("return KEYS");
    add("FCALL", "f", "0");
    function("x = 1");
    add("FCALL", "f", "0");
    function("_G.x = 1");
    add("FCALL", "f", "0");
    function("return redis.register_function('g', function() end)");
    add("FCALL", "f", "0");
    function("return {type(_G), type(setmetatable), type(redis.call), type(cjson), type(next)}");
    add("FCALL", "f", "0");
    function("setmetatable(_G, {})");
    add("FCALL", "f", "0");
    function("getmetatable(_G).__index = 1");
    add("FCALL", "f", "0");
    function("redis.setresp(3) return redis.call('hgetall', 'none')");
    add("FCALL", "f", "0");
    function("redis.call('select', 5) return redis.call('set', 'five', 1)");
    add("FCALL", "f", "0");
    add("GET", "five");
    function("return math.random(1000)");
    add("EVAL", "return math.random(1000)", "0");
    add("FCALL", "f", "0");
    add("EVAL", "return math.random(1000)", "0");
    load(
        "l",
        "local count = 0 local function more() count = count + 1 return count end"
            + " redis.register_function('f', function() return more() end)"
            + " redis.register_function('g', function() return more() end)");
    add("FCALL", "f", "0");
    add("FCALL", "g", "0");
    add("FCALL", "f", "0");
    load(
        "l",
        "redis.register_function{function_name='r', flags={'no-writes'},"
            + " callback=function(keys) return redis.call(unpack(keys)) end}");
    add("FCALL", "r", "2", "get", "k");
    add("FCALL_RO", "r", "2", "get", "k");
    add("FCALL", "r", "3", "set", "k", "v2");
    add("FCALL_RO", "r", "3", "set", "k", "v2");
    add("FCALL", "r", "2", "fcall", "r");
    add("FCALL", "r", "3", "fcall", "r", "0");
    add("FCALL", "r", "3", "eval", "return 1", "0");
    add("EVAL_RO", "#!lua\nreturn 1", "0");
    add("EVAL_RO", "#!lua flags=NO-WRITES\nreturn 1", "0");
    add("MULTI");
    add("FUNCTION", "LOAD", LOAD_OF + "m\nredis.register_function('m', function() return 1 end)");
    add("FUNCTION", "STATS");
    add("FCALL", "m", "0");
    add("FUNCTION", "DELETE", "m");
    add("FUNCTION", "STATS");
    add("FCALL", "m", "0");
    add("EXEC");
    add("FCALL", "m", "0");
    check();
  }

  @Test
  void librariesGoFromHereToRedisAndBack() throws IOException, InterruptedException {
    CommandTester tester = new CommandTester();
    String body = "redis.register_function('f', function() return 'here' end)" + " ".repeat(100);
    Args load = Args.of("FUNCTION", "LOAD", "REPLACE", LOAD_OF + "l\n" + body);
    Args delete = Args.of("FUNCTION", "DELETE", "l");
    try (RedisOracle oracle = RedisOracle.start(directory)) {
      tester.run(tester.client(), load);
      byte[] ours = bulk(tester.run("FUNCTION", "DUMP"));
      assertEquals("+OK\r\n", oracle.run(restore(ours)));
      assertEquals("$4\r\nhere\r\n", oracle.run("FCALL", "f", "0"));
      byte[] theirs = bulk(oracle.run("FUNCTION", "DUMP"));
      byte[] cut = ours.clone();
      cut[cut.length - 1]++;
      Args[] restores = {
        restore(theirs),
        restore(theirs, "APPEND"),
        restore(theirs, "REPLACE"),
        restore(theirs, "FLUSH"),
        restore(theirs, "NOW"),
        restore(theirs, "FLUSH", "x"),
        restore(cut),
        restore(new byte[0]),
        restore(bulk(dumpOfString(oracle))),
      };
      for (Args restore : restores) {
        assertEquals(oracle.run(restore), tester.run(tester.client(), restore), restore::toString);
      }
      assertEquals(oracle.run(delete), tester.run(tester.client(), delete));
      Args other =
          Args.of("FUNCTION", "LOAD", LOAD_OF + "o\nredis.register_function('F', function() end)");
      assertEquals(oracle.run(other), tester.run(tester.client(), other));
      for (Args restore : restores) {
        assertEquals(oracle.run(restore), tester.run(tester.client(), restore), restore::toString);
      }
      assertEquals("$4\r\nhere\r\n", tester.run("FCALL", "f", "0"));
    }
  }

  private static String dumpOfString(RedisOracle oracle) {
    oracle.run("SET", "k", "v");
    return oracle.run("DUMP", "k");
  }

  private static Args restore(byte[] payload, String... more) {
    byte[][] parts = new byte[3 + more.length][];
    parts[0] = "FUNCTION".getBytes(StandardCharsets.US_ASCII);
    parts[1] = "RESTORE".getBytes(StandardCharsets.US_ASCII);
    parts[2] = payload;
    for (int i = 0; i < more.length; i++) {
      parts[3 + i] = more[i].getBytes(StandardCharsets.US_ASCII);
    }
    return new Args(parts, parts.length);
  }

  private static byte[] bulk(String reply) {
    int begin = reply.indexOf('\n') + 1;
    return reply.substring(begin, reply.length() - 2).getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void librariesAreThereAfterReopen() {
    CommandTester tester = new CommandTester();
    load("l", "redis.register_function('f', function() return 'still here' end)");
    tester.run(tester.client(), requests.get(0));
    tester.run("SET", "key", "value");
    tester.run("FLUSHALL");
    CommandTester reopened = tester.reopened();
    assertEquals("$10\r\nstill here\r\n", reopened.run("FCALL", "f", "0"));
    reopened.run("FUNCTION", "DELETE", "l");
    assertEquals("*0\r\n", reopened.reopened().run("FUNCTION", "LIST"));
  }
}
