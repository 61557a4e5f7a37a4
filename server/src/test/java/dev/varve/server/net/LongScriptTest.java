package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.Await;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that take long, over sockets, with one event loop and with several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LongScriptTest {
  private static final String BUSY_SCRIPT =
      "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.|";
  private static final String BUSY_FUNCTION = BUSY_SCRIPT.replace("SCRIPT KILL", "FUNCTION KILL");
  private static final String UNKILLABLE =
      "-UNKILLABLE Sorry the script already executed write commands against the dataset. You can"
          + " either wait the script termination or kill the server in a hard way using the"
          + " SHUTDOWN NOSAVE command.|";

  /** Takes longer than a script may hold the loop, by far. */
  private static final String SPIN = " for i = 1, 60000000 do end ";

  private static ServerFixture server(String loops) throws IOException {
    return new ServerFixture("io-threads", loops, "appendfsync", "always");
  }

  private static void awaitReply(RawClient client, String request, String begin)
      throws IOException {
    awaitReply(client, request, reply -> reply.startsWith(begin));
  }

  private static void awaitReply(RawClient client, String request, Predicate<String> wanted)
      throws IOException {
    Await.until(() -> wanted.test(client.ask(request)), 60, () -> "never as wanted: " + request);
  }

  /** A client whose script runs now. */
  private static RawClient running(ServerFixture fixture, RawClient control, String script)
      throws IOException {
    RawClient client = fixture.client().send("EVAL \"" + script + "\" 0|");
    awaitReply(control, "FUNCTION STATS", "-BUSY");
    return client;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void othersAreToldAndTheScriptCanBeKilled(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      assertEquals("+OK|", control.ask("CONFIG SET lua-time-limit 150"));
      assertEquals("*2|$14|lua-time-limit|$3|150|", control.ask("CONFIG GET lua-time-limit"));
      RawClient script =
          fixture.client().send("EVAL \"while true do pcall(redis.call, 'get', 'x') end\" 0|");
      awaitReply(control, "PING", "-BUSY");
      RawClient other = fixture.client();
      assertEquals(BUSY_SCRIPT, other.ask("GET x"));
      assertEquals(BUSY_SCRIPT, other.ask("SET x 1"));
      assertEquals(BUSY_SCRIPT, other.ask("EVAL \"return 1\" 0"));
      assertEquals("+OK|", other.ask("MULTI"));
      assertEquals(BUSY_SCRIPT, other.ask("SET x 1"));
      assertEquals(
          "-EXECABORT Transaction discarded because of: " + BUSY_SCRIPT.substring(1),
          other.ask("EXEC"));
      assertEquals(BUSY_SCRIPT, other.ask("FUNCTION KILL"));
      assertEquals(BUSY_SCRIPT, other.ask("SHUTDOWN"));
      assertEquals("+OK|", other.ask("SCRIPT KILL"));
      assertEquals(
          "-ERR Script killed by user with SCRIPT KILL... script: "
              + "edf8e6fd0c3d9a5d7f9fdd6ee2ff8a58e3bb9d3c, on @user_script:1.|",
          script.reply().replaceAll("[0-9a-f]{40}", "edf8e6fd0c3d9a5d7f9fdd6ee2ff8a58e3bb9d3c"));
      assertEquals("+PONG|", control.ask("PING"));
      assertEquals("+OK|", other.ask("SET x 1"));
      assertEquals(":2|", script.ask("INCR x"));
      assertEquals("-NOTBUSY No scripts in execution right now.|", other.ask("SCRIPT KILL"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aFunctionIsKilledAsAFunctionAlsoInATransaction(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CONFIG SET busy-reply-threshold 50");
      control.ask(
          "FUNCTION LOAD \"#!lua name=l\\n"
              + "redis.register_function('f', function() while true do end end)\"");
      RawClient script = fixture.client().send("MULTI|SET x 1|FCALL f 0|EXEC|");
      assertEquals("+OK|+QUEUED|+QUEUED|", script.replies(3));
      awaitReply(control, "PING", "-BUSY");
      assertEquals(BUSY_FUNCTION, control.ask("GET x"));
      assertEquals(BUSY_FUNCTION, control.ask("SCRIPT KILL"));
      assertTrue(
          control
              .ask("FUNCTION STATS")
              .startsWith("*4|$14|running_script|*6|$4|name|$1|f|$7|command|*3|$5|FCALL|"));
      assertEquals("+OK|", control.ask("FUNCTION KILL"));
      assertEquals(
          "*2|+OK|-ERR Script killed by user with SCRIPT KILL... script: f, on @user_function:2.|",
          script.reply());
      assertEquals("$1|1|", control.ask("GET x"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aScriptThatHasWrittenIsNotKilledAndAppliedWhole(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CONFIG SET lua-time-limit 1");
      RawClient waiter = fixture.client().send("BLPOP list 0|");
      awaitReply(control, "INFO clients", reply -> reply.contains("blocked_clients:1|"));
      RawClient script =
          running(
              fixture,
              control,
              "redis.call('set', 'a', 1) redis.call('rpush', 'list', 1)"
                  + SPIN
                  + "return redis.call('incr', 'a')");
      awaitReply(control, "PING", "-BUSY");
      assertEquals(UNKILLABLE, control.ask("SCRIPT KILL"));
      assertEquals(":2|", script.reply());
      assertEquals("$1|2|", script.ask("GET a"));
      assertEquals("*2|$4|list|$1|1|", waiter.reply());
      assertEquals(":0|", control.ask("EXISTS list"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoeverWritesMeanwhileComesAfterTheScript(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CONFIG SET lua-time-limit 0");
      RawClient subscriber = fixture.client();
      subscriber.ask("SUBSCRIBE news");
      control.ask("SET soon gone PX 60");
      RawClient script =
          running(
              fixture,
              control,
              "redis.call('publish', 'news', 'once') local n = redis.call('incr', 'n')"
                  + " local before = redis.call('exists', 'soon') + redis.call('dbsize')"
                  + SPIN
                  + "return {n, redis.call('incr', 'n'),"
                  + " before - redis.call('exists', 'soon') - redis.call('dbsize')}");
      RawClient writer = fixture.client().send("INCR n|PUBLISH news later|");
      assertEquals("*3|:1|:2|:0|", script.reply());
      assertEquals(":3|:1|", writer.replies(2));
      assertEquals("*3|$7|message|$4|news|$4|once|", subscriber.reply());
      assertEquals("*3|$7|message|$4|news|$5|later|", subscriber.reply());
      awaitReply(control, "DBSIZE", ":1|");
      assertEquals("$1|3|", control.ask("GET n"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void whoBeginsToWatchMeanwhileIsToldOfWhatTheScriptWrites(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CONFIG SET lua-time-limit 0");
      RawClient script =
          running(fixture, control, SPIN + "redis.call('set', 'a', 'script') return 1");
      RawClient watcher = fixture.client();
      assertEquals("+OK|", watcher.ask("WATCH a"));
      assertEquals("$-1|", watcher.ask("GET a"));
      watcher.send("MULTI|SET a watcher|EXEC|");
      assertEquals(":1|", script.reply());
      assertEquals("+OK|+QUEUED|*-1|", watcher.replies(3));
      assertEquals("$6|script|", watcher.ask("GET a"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "3"})
  void aScriptThatThereIsNoMemoryToApplyIsAnError(String loops) throws IOException {
    try (ServerFixture fixture = server(loops)) {
      RawClient control = fixture.client();
      control.ask("CONFIG SET lua-time-limit 1");
      RawClient script =
          running(fixture, control, "redis.call('set', 'a', 1)" + SPIN + "return 'done'");
      fixture.engine.beforeWrite(
          () -> {
            throw new OutOfMemoryError("as a test wants it");
          });
      assertEquals("-ERR out of memory: there is no room for what EVAL needs|", script.reply());
      fixture.engine.beforeWrite(() -> {});
      assertEquals("$-1|", control.ask("GET a"));
      assertEquals("+OK|", control.ask("SET a 2"));
      assertEquals(":3|", script.ask("INCR a"));
    }
  }

  @Test
  void timeGoesOnWhileAScriptRuns() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      String script =
          "\"local t = redis.call('TIME') local n = t repeat n = redis.call('TIME')"
              + " until n[1] ~= t[1] or n[2] ~= t[2] redis.call('SET', KEYS[1], n[2]) return 1\"";
      assertEquals(":1|", fixture.client().ask("EVAL " + script + " 1 key"));
    }
  }
}
