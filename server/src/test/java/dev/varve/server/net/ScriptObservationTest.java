package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is seen from outside of the commands that scripts call. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ScriptObservationTest {

  /** Calls, refusals and failures of a command, as INFO has them. */
  private static String calls(RawClient client, String command) throws IOException {
    String info = client.ask("INFO commandstats");
    Matcher found =
        Pattern.compile(
                "cmdstat_"
                    + Pattern.quote(command)
                    + ":calls=(\\d+),.*?rejected_calls=(\\d+),failed_calls=(\\d+)")
            .matcher(info);
    return found.find() ? found.group(1) + " " + found.group(2) + " " + found.group(3) : "none";
  }

  private static String errors(RawClient client) throws IOException {
    StringBuilder all = new StringBuilder();
    Matcher found =
        Pattern.compile("errorstat_(\\w+:count=\\d+)").matcher(client.ask("INFO errorstats"));
    while (found.find()) {
      all.append(found.group(1)).append(' ');
    }
    return all.toString().trim();
  }

  @Test
  void infoInsideSeesWhatRanBeforeItThere() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.send("MULTI|SET a 1|LPUSH a 1|INFO errorstats|INFO commandstats|EXEC|").replies(5);
      String info = client.reply();
      assertTrue(info.contains("errorstat_WRONGTYPE:count=1"), info);
      assertTrue(info.contains("cmdstat_set:calls=1,"), info);
      assertTrue(info.matches("(?s).*cmdstat_lpush:calls=1,[^|]*failed_calls=1.*"), info);
      client.ask("CONFIG RESETSTAT");
      String script =
          "redis.call('get', 'a') redis.pcall('lpush', 'a', 1) redis.pcall('set')"
              + " return redis.call('info', 'all')";
      info = client.ask("EVAL \"" + script + "\" 0");
      assertTrue(info.contains("errorstat_WRONGTYPE:count=1"), info);
      assertTrue(info.contains("errorstat_ERR:count=1"), info);
      assertTrue(info.contains("total_error_replies:2"), info);
      assertTrue(info.contains("cmdstat_get:calls=1,"), info);
      assertTrue(info.matches("(?s).*cmdstat_set:calls=0,[^|]*rejected_calls=1.*"), info);
      assertEquals("1 0 1", calls(client, "lpush"));
      assertEquals("1 0 0", calls(client, "eval"));
      assertEquals("ERR:count=1 WRONGTYPE:count=1", errors(client));
    }
  }

  @Test
  void commandsInScriptsAreCountedAndTheirErrorsOnce() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.ask("EVAL \"redis.call('set', 'a', 1) redis.call('set', 'b', 2)\" 0");
      assertEquals("2 0 0", calls(client, "set"));
      assertEquals("1 0 0", calls(client, "eval"));
      client.ask("CONFIG RESETSTAT");
      assertTrue(client.ask("EVAL \"return redis.call('select', 99)\" 0").startsWith("-ERR DB"));
      assertEquals("1 0 1", calls(client, "select"));
      assertEquals("1 0 1", calls(client, "eval"));
      assertEquals("ERR:count=1", errors(client));
      client.ask("CONFIG RESETSTAT");
      assertEquals(":1|", client.ask("EVAL \"redis.pcall('lpush', 'a', 1) return 1\" 0"));
      assertEquals("1 0 1", calls(client, "lpush"));
      assertEquals("1 0 0", calls(client, "eval"));
      assertEquals("WRONGTYPE:count=1", errors(client));
      client.ask("CONFIG RESETSTAT");
      assertTrue(client.ask("EVAL_RO \"return redis.call('set', 'a', 1)\" 0").startsWith("-ERR"));
      assertEquals("0 1 0", calls(client, "set"));
      assertEquals("1 0 1", calls(client, "eval_ro"));
      assertEquals("ERR:count=1", errors(client));
      client.ask("CONFIG RESETSTAT");
      client.ask("EVAL \"return redis.error_reply('MINE of my own')\" 0");
      assertEquals("MINE:count=1", errors(client));
    }
  }

  @Test
  void monitorsSeeTheScriptBeforeWhatItCalls() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.ask(
          "FUNCTION LOAD \"#!lua name=l\\n"
              + "redis.register_function('f', function() redis.call('select', 3)"
              + " return redis.call('get', 'x') end)\"");
      RawClient monitor = fixture.client();
      assertEquals("+OK|", monitor.ask("MONITOR"));
      client.ask("EVAL \"return redis.call('set', KEYS[1], 1)\" 1 x");
      assertTrue(monitor.reply().matches("\\+.* \\[0 127.0.0.1:\\d+] \"EVAL\" .*"));
      assertTrue(monitor.reply().matches("\\+.* \\[0 lua] \"set\" \"x\" \"1\"\\|"));
      client.send("MULTI|FCALL f 0|EXEC|").replies(3);
      assertTrue(monitor.reply().endsWith(" \"MULTI\"|"));
      assertTrue(monitor.reply().endsWith(" \"FCALL\" \"f\" \"0\"|"));
      assertTrue(monitor.reply().endsWith("[3 lua] \"select\" \"3\"|"));
      assertTrue(monitor.reply().endsWith("[3 lua] \"get\" \"x\"|"));
      assertTrue(monitor.reply().endsWith(" \"EXEC\"|"));
    }
  }

  @Test
  void monitorsSeeTheDatabaseThatWasSelectedAndCallsThatAreRefused() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      RawClient monitor = fixture.client();
      assertEquals("+OK|", monitor.ask("MONITOR"));
      client.send("SELECT 2|MULTI|SELECT 3|EXEC|RESET|EVALSHA none 0|FCALL none 0|").replies(7);
      for (String shown :
          new String[] {
            "2 \"SELECT\" \"2\"",
            "2 \"MULTI\"",
            "3 \"SELECT\" \"3\"",
            "3 \"EXEC\"",
            "0 \"RESET\"",
            "0 \"EVALSHA\" \"none\" \"0\"",
            "0 \"FCALL\" \"none\" \"0\""
          }) {
        String line = monitor.reply().replaceFirst("\\+.* \\[(\\d) .*?] (.*)\\|", "$1 $2");
        assertEquals(shown, line);
      }
    }
  }

  @Test
  void errorsInsideTransactionsAreCountedOnce() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.ask("SET x a");
      client.send("MULTI|LPUSH x 1|EVAL \"return redis.call('lpush', 'x', 1)\" 0|INCR x|EXEC|");
      client.replies(5);
      assertEquals("ERR:count=1 WRONGTYPE:count=2", errors(client));
      assertEquals("2 0 2", calls(client, "lpush"));
      assertEquals("1 0 1", calls(client, "incr"));
      assertEquals("1 0 0", calls(client, "exec"));
    }
  }

  @Test
  void whatRanBeforeAColdBlockIsCountedOnce() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      client.ask("MSET a 1 b 2 c x d 4");
      fixture.engine.makeCold();
      String script =
          "redis.call('set', 'n', 1) redis.call('get', 'a') redis.pcall('nosuch')"
              + " redis.pcall('incr', 'c') return redis.call('get', 'b')";
      assertEquals("$1|2|", client.ask("EVAL \"" + script + "\" 0"));
      assertEquals("1 0 0", calls(client, "set"));
      assertEquals("2 0 0", calls(client, "get"));
      assertEquals("1 0 1", calls(client, "incr"));
      assertEquals("ERR:count=2", errors(client));
      fixture.engine.makeCold();
      client.send("MULTI|INCR n|GET d|INCR c|EXEC|").replies(5);
      assertEquals("3 0 2", calls(client, "incr"));
      assertEquals("3 0 0", calls(client, "get"));
      assertEquals("ERR:count=3", errors(client));
    }
  }

  @Test
  void nothingRunsBehindAScriptThatIsDroppedBecauseTheServerStops() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient client = fixture.client();
      RawClient other = fixture.client();
      fixture.server.keyspace().dropScripts();
      String script = "redis.call('set', 'a', 1) for i = 1, 1e6 do end";
      client.send("SET first 1|EVAL \"" + script + "\" 0|SET behind 1|");
      assertEquals("+OK|-ERR the server stops|", client.untilClosed());
      assertEquals(":1|", other.ask("EXISTS first a behind"));
    }
  }
}
