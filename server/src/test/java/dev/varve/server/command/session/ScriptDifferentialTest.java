package dev.varve.server.command.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.Role;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.ScriptRuns;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scripts that call commands, and the commands around scripts: replies are redis-server's. */
class ScriptDifferentialTest {
  private static final long SECONDS_MAX = 60;
  private static final String RETURN_1 = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";

  @TempDir Path directory;

  private final List<String[]> requests = new ArrayList<>();

  private void add(String... request) {
    requests.add(request);
  }

  private void eval(String script, String... keysAndArguments) {
    String[] request = new String[2 + Math.max(1, keysAndArguments.length)];
    request[0] = "EVAL";
    request[1] = script;
    request[2] = "0";
    System.arraycopy(keysAndArguments, 0, request, 2, keysAndArguments.length);
    add(request);
  }

  private void check() throws IOException, InterruptedException {
    List<String> differences = new ArrayList<>();
    CommandTester tester =
        new CommandTester((table, keyspace) -> ConnectionCommands.register(table, keyspace));
    try (RedisOracle oracle = RedisOracle.start(directory)) {
      for (String[] request : requests) {
        String wanted = oracle.run(request);
        String got = tester.run(request);
        if (!wanted.equals(got)) {
          differences.add(String.join(" ", request) + "\n  redis: " + wanted + "  here:  " + got);
        }
      }
    }
    assertEquals(List.of(), differences, () -> String.join("\n", differences));
  }

  @Test
  void scriptsCallCommandsAsInRedis() throws IOException, InterruptedException {
    eval("return {KEYS[1], KEYS[2], ARGV[1], ARGV[2]}", "2", "k1", "k2", "a1", "a2");
    eval("return {#KEYS, #ARGV}", "1", "k1", "a1", "a2");
    eval("return redis.call('set', KEYS[1], ARGV[1])", "1", "key", "value");
    eval("return redis.call('get', KEYS[1])", "1", "key");
    eval("return redis.call('get', 'none')");
    eval("return redis.call('incrby', 'n', 5)");
    eval("return redis.call('incr', 'key')");
    eval("return redis.pcall('incr', 'key')");
    eval("local e = redis.pcall('incr', 'key') return {type(e), e.err}");
    eval("return {pcall(redis.call, 'incr', 'key')}");
    eval("redis.call('rpush', 'list', 1, 2, 3) return redis.call('lrange', 'list', 0, -1)");
    eval("return redis.call('hset', 'hash', 'a', 1, 'b', 2)");
    eval("return redis.call('hgetall', 'hash')");
    eval("redis.setresp(3) return redis.call('hgetall', 'hash')");
    eval("redis.setresp(3) return type(redis.call('hgetall', 'hash').map)");
    eval("redis.call('zadd', 'z', 1.5, 'a') return redis.call('zscore', 'z', 'a')");
    eval("redis.setresp(3) return redis.call('zscore', 'z', 'a')");
    eval("redis.setresp(3) return redis.call('zscore', 'z', 'a').double * 2");
    eval("redis.call('sadd', 's', 'x') redis.setresp(3) return redis.call('smembers', 's')");
    eval("redis.setresp(3) return redis.call('get', 'none')");
    eval("redis.setresp(3) return tostring(redis.call('get', 'none'))");
    eval("redis.setresp(3) return true");
    eval("return {map = {a = 1}}");
    eval("return {set = {a = true}}");
    eval("return {double = 3.25}");
    eval("return {double = 1e20}");
    eval("return {big_number = '12345678901234567890'}");
    eval("return {verbatim_string = {format = 'txt', string = 'hello'}}");
    eval("return {verbatim_string = {format = 'tx', string = 'hello'}}");
    eval("return {verbatim_string = {format = 'text', string = 'hello'}}");
    eval("return {ok = 'a\\0b'}");
    eval("return {err = 'MY a\\0b'}");
    eval("return {{err = '\\0'}, {ok = '\\0b'}}");
    eval("error('a\\0b')");
    eval("return {ok = 1}");
    eval("return {err = 1}");
    eval("return redis.status_reply('FINE')");
    eval("return redis.error_reply('MY error')");
    eval("return redis.error_reply('error')");
    eval("return {err = '-MARKED error'}");
    eval("return {{err = '-MARKED'}, {err = ''}}");
    eval("return redis.error_reply('-MARKED error')");
    eval("error('x')");
    eval("error({err = 'MY error'})");
    eval("return redis.call('nosuch')");
    eval("return redis.call('get')");
    eval("return redis.call('get', 1, 2)");
    eval("return redis.call('multi')");
    eval("return redis.call('eval', 'return 1', 0)");
    eval("return redis.call('subscribe', 'x')");
    eval("return redis.call('lpush', 'key', 1)");
    eval("redis.call('set', 'half', 1) redis.call('lpush', 'key', 1)");
    add("GET", "half");
    eval("return redis.call('blpop', 'nolist', 1)");
    eval("return redis.call('xread', 'block', 'x', 'streams', 'x')");
    eval("return redis.call('XREADGROUP', 'count', 'x', 'block', '0')");
    eval("return redis.call('xreadgroup', 'block', '0', 'group', 'g', 'c', 'streams', 'x')");
    eval("return redis.call('blpop', 'list', 1)");
    eval("redis.call('select', 5) redis.call('set', 'five', 5) return redis.call('get', 'five')");
    add("GET", "five");
    add("SELECT", "5");
    add("GET", "five");
    add("SELECT", "0");
    eval("return redis.call('ping')");
    eval("return redis.call('echo', 'hi')");
    eval("return x");
    eval("return 1 +");
    eval("#!lua\nreturn 1");
    eval("#!lua flags=no-writes\nreturn redis.call('set', 'a', 1)");
    eval("#!lua flags=no-writes\nreturn redis.call('get', 'n')");
    eval("#!lua flags=nosuch\nreturn 1");
    eval("#!lua nosuch=1\nreturn 1");
    eval("#!python\nreturn 1");
    eval("#!lua");
    eval("#!lua\nerror('second line')");
    eval("local t = {} for i = 1, 20 do t[i] = redis.call('rpush', 'l2', i) end return t");
    eval("return redis.call('object', 'encoding', 'n')");
    eval("return redis.call('object', 'nosuch', 'n')");
    eval("return redis.call('expire', 'n', 100) + redis.call('ttl', 'n')");
    eval("return cjson.encode(redis.call('lrange', 'list', 0, -1))");
    eval("return redis.acl_check_cmd('get', 'x')");
    check();
  }

  @Test
  void commandsAroundScriptsAreRedis() throws IOException, InterruptedException {
    add("EVAL", "return 1", "0");
    add("EVAL", "return 1", "1");
    add("EVAL", "return 1", "-1");
    add("EVAL", "return 1", "x");
    add("EVAL", "return 1");
    add("EVALSHA", RETURN_1, "0");
    add("EVALSHA", RETURN_1.toUpperCase(Locale.ROOT), "0");
    add("EVALSHA", RETURN_1.substring(1), "0");
    add("EVALSHA", RETURN_1.replace('e', 'f'), "0");
    add("EVALSHA", RETURN_1, "5");
    add("SCRIPT", "LOAD", "return 2");
    add("SCRIPT", "LOAD", "return +");
    add("SCRIPT", "EXISTS", RETURN_1, "7f923f79fe76194c868d7e1d0820de36700eb649", "x");
    add("EVALSHA", "7f923f79fe76194c868d7e1d0820de36700eb649", "0");
    add("SCRIPT", "FLUSH", "NOW");
    add("SCRIPT", "FLUSH", "SYNC");
    add("SCRIPT", "EXISTS", RETURN_1);
    add("EVALSHA", RETURN_1, "0");
    add("SCRIPT", "FLUSH");
    add("SCRIPT", "KILL");
    add("SCRIPT", "DEBUG", "NO");
    add("SCRIPT", "DEBUG", "MAYBE");
    add("SCRIPT", "DEBUG");
    add("SCRIPT", "NOSUCH");
    add("SCRIPT", "LOAD");
    add("SCRIPT", "EXISTS");
    add("EVAL_RO", "return redis.call('set', 'a', 1)", "0");
    add("EVAL_RO", "return redis.pcall('set', 'a', 1)", "0");
    add("EVAL_RO", "return redis.call('get', 'a')", "0");
    add("EVAL_RO", "return 1", "0");
    add("EVALSHA_RO", RETURN_1, "0");
    add("EVALSHA_RO", RETURN_1.replace('e', 'f'), "0");
    add("MULTI");
    add("EVAL", "return redis.call('incr', 'm')", "0");
    add("EVAL", "error('in multi')", "0");
    add("INCR", "m");
    add("EXEC");
    add("EVAL", "return math.random(1000000)", "0");
    add("EVAL", "return math.random(1000000)", "0");
    check();
  }

  @Test
  void withTheScriptsTheirSettingsAreForgotten() throws IOException, InterruptedException {
    String all =
        "return {cjson.encode_max_depth(), cjson.encode_number_precision(),"
            + " tostring(cjson.encode_invalid_numbers()), cjson.decode_max_depth()}";
    add("EVAL", all, "0");
    add("EVAL", "cjson.encode_max_depth(2) cjson.encode_number_precision(3)", "0");
    add("EVAL", "cjson.encode_invalid_numbers(true) cjson.decode_max_depth(4)", "0");
    add("EVAL", all, "0");
    add("SCRIPT", "FLUSH");
    add("EVAL", all, "0");
    check();
  }

  @Test
  void aScriptThatLoopsCanBeKilledFromAnotherThread() throws Exception {
    CommandTester tester = new CommandTester();
    CommandExecutor other = tester.executor(Role.READER, new RespEncoder());
    Session killer = tester.session();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<String> script = thread.submit(() -> tester.run("EVAL", "while true do end", "0"));
    Await.until(
        () -> tester.keyspace.scriptRuns().kill(false) != ScriptRuns.Kill.NONE_RUNS,
        SECONDS_MAX,
        () -> "no script runs");
    other.execute(killer, Args.of("SCRIPT", "KILL"), false);
    String reply = script.get(SECONDS_MAX, TimeUnit.SECONDS);
    assertEquals(
        "-ERR Script killed by user with SCRIPT KILL... script: "
            + "694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.\r\n",
        reply);
    Future<String> next = thread.submit(() -> tester.run("EVAL", "return 1", "0"));
    assertEquals(":1\r\n", next.get(SECONDS_MAX, TimeUnit.SECONDS));
    thread.shutdown();
  }
}
