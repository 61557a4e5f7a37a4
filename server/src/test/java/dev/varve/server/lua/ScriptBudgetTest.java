package dev.varve.server.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.ScriptKilledException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that would run for ever or eat all memory are stopped, wherever they are. */
class ScriptBudgetTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final LuaLimits SMALL = new LuaLimits(8 << 20, 8 << 20, 16);

  /** Killed before it begins, it ends at its first look around. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "while true do end",
        "repeat until false",
        "for i = 1, 1/0 do end",
        "for i = 1, 0, 0 do end while true do pcall(function() while true do end end) end",
        "local function f() return f() end f()",
        "local t = setmetatable({}, {__index = function(t, k) while true do end end}) return t.x",
        "return string.find(string.rep('a', 5000), string.rep('a-', 40) .. 'b')",
        "return string.find(string.rep('a', 100000), '.-.-.-b')",
        "return string.find(string.rep('a', 2000000), string.rep('a', 1000000) .. 'b', 1, true)",
        "return string.gsub(string.rep('a', 5000), '(a*)*b', '')",
        "local t = {} for i = 1, 3000 do t[i] = i end"
            + " table.sort(t, function(a, b) while true do end end)",
        "coroutine.wrap(function() while true do coroutine.yield() end end)() while true do end",
        "coroutine.wrap(function() while true do end end)()",
        "local t = {} for i = 1, 20000 do t[i] = i end while true do table.concat(t) end",
        "while true do cjson.encode({1, 2, 3}) end",
        "while true do pcall(error) end",
        "load(function() return ' ' end)",
        "while true do string.format('%d', 1) end"
      })
  void whatRunsForEverCanBeKilled(String script) {
    ScriptTester tester = new ScriptTester();
    tester.kill();
    assertTimeoutPreemptively(
        PATIENCE, () -> assertThrows(ScriptKilledException.class, () -> tester.eval(script)));
  }

  @Test
  void aKillFromAnotherThreadEndsIt() {
    ScriptTester tester = new ScriptTester();
    Thread killer = new Thread(tester::kill);
    killer.start();
    assertTimeoutPreemptively(
        PATIENCE,
        () -> assertThrows(ScriptKilledException.class, () -> tester.eval("while true do end")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "return string.rep('x', 1e9)",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} while true do t[#t + 1] = {} end",
        "local t = {} for i = 1, 1e9 do t[i] = i end",
        "local t = {} for i = 1, 1e9 do t['k' .. i] = i end",
        "local t = {} while true do t[#t + 1] = string.rep('x', 1000) .. #t end",
        "local s = string.rep('x', 1000000) local t = {} for i = 1, 100 do t[i] = s end"
            + " return table.concat(t)",
        "return string.gsub(string.rep('x', 100000), 'x', string.rep('y', 1000))",
        "local s = string.rep('x', 1000000) return cjson.encode({s, s, s, s, s, s, s, s, s, s})",
        "local s = string.rep('x', 1000000) return cmsgpack.pack(s, s, s, s, s, s, s, s, s, s)",
        "local s = string.rep('x', 1000000) return struct.pack('ssssssssss',"
            + " s, s, s, s, s, s, s, s, s, s)",
        "local s = string.rep('x', 1000000)"
            + " return string.format(string.rep('%s', 10), s, s, s, s, s, s, s, s, s, s)",
        // Half-decoded, half-written, not yet compiled: nothing else than Java has it.
        "local t = {} for i = 1, 8 do t[i] = string.rep('x', 1000000) end return cjson.decode('['"
            + " .. string.rep('[],', 100000) .. '[]]')",
        "return cjson.decode('[' .. string.rep('[],', 150000) .. '[]]')",
        "return cmsgpack.unpack(string.char(0xDD, 0, 3, 0, 0) .. string.rep('\\144', 200000))",
        "return loadstring('return {' .. string.rep('{},', 100000) .. '}')",
        "local s = string.rep('x', 1000000) redis.log(redis.LOG_DEBUG, s, s, s, s, s, s, s, s, s)",
        "local s = string.rep('x', 1000000) return redis.call('PING', s, s, s, s, s, s, s, s, s,"
            + " s, s, s, s, s, s, s, s, s)",
        "local t = {string.find(string.rep('x', 1000000), string.rep('(', 10) .. '.*'"
            + " .. string.rep(')', 10))}",
        "local function f(s) return (string.gsub(s, '[xy]', function(c) if c == 'y' then return"
            + " f(s) end end)) end return f(string.rep('x', 1000000) .. 'y')",
        "local t = {} for i = 1, 1e9 do t[i] = loadstring('return \"' .. string.rep('x', 10000) .."
            + " i .. '\"') end",
        "local t = {} for i = 1, 1e9 do t[i] = loadstring(string.rep('local a = {} ', 100) .. i) or"
            + " loadstring(string.rep('local a = {} ', 100) .. 'x = ' .. i) end"
      })
  void whatNeedsTooMuchMemoryFails(String script) {
    String reply = assertTimeoutPreemptively(PATIENCE, () -> new ScriptTester(SMALL).eval(script));
    assertTrue(reply.startsWith("-ERR not enough memory script: "), reply);
  }

  @Test
  void whatIsTooLargeToCompileFails() {
    String reply = new ScriptTester(SMALL).eval("return {" + "{},".repeat(100_000) + "}");
    assertEquals("-ERR Error compiling script (new function): not enough memory\r\n", reply);
    ScriptTester tester = new ScriptTester(SMALL);
    for (int i = 0; i < 50; i++) {
      assertEquals(":1\r\n", tester.eval("return 1 --" + "x".repeat(1_000_000) + i));
    }
  }

  /** All of these keep what only something else than a table, a string or a variable holds. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "t[n + 1] = string.gmatch(string.rep('x', 100000) .. n, '.')",
        "t[n + 1] = string.gmatch('x', string.rep('x', 100000) .. n)",
        "local s = string.rep('x', 100000) .. n t[n + 1] = coroutine.create(function() return s"
            + " end)",
        "local s = string.rep('x', 100000) .. n t[n + 1] = coroutine.wrap(function() return s end)",
        "t[n + 1] = select(2, pcall(error, string.rep('x', 100000)))",
        "t[n + 1] = select(2, pcall(assert, false, string.rep('x', 100000)))",
        "t[n + 1] = redis.error_reply(string.rep('x', 100000))",
        "t[n + 1] = struct.unpack('c100000', s)",
        "t[n + 1] = struct.unpack('s', s)",
        "t[n + 1] = select(2, loadstring('x ' .. string.rep('y', 100000) .. ' 1'))"
      })
  void whatIsKeptInAnyWayIsCounted(String step) {
    String reply =
        new ScriptTester(SMALL)
            .eval(
                "local n = 0 local e = select(2, pcall(function() local t = {}"
                    + " local s = string.rep('x', 100000) .. '\\0' while n < 1000 do "
                    + step
                    + " n = n + 1 end end)) return {n, e}");
    assertTrue(reply.endsWith("$17\r\nnot enough memory\r\n"), reply);
    int kept = Integer.parseInt(reply.substring(5, reply.indexOf('\r', 5)));
    assertTrue(kept > 15 && kept < 95, kept + " of them");
  }

  @Test
  void smallThingsAreCountedAsTheyAreMade() {
    for (String step :
        new String[] {"tostring(n)", "coroutine.wrap(function() end)", "string.gmatch('a', 'b')"}) {
      String reply =
          new ScriptTester(SMALL)
              .eval(
                  "local n = 0 pcall(function() local t = {} while true do t[n + 1] = "
                      + step
                      + " n = n + 1 end end) return n");
      int made = Integer.parseInt(reply.substring(1).trim());
      assertTrue(made > 5_000 && made < (8 << 20) / 60, made + " of " + step);
    }
  }

  @Test
  void suspendedCoroutinesThatNobodyHoldsAreCounted() {
    String reply =
        new ScriptTester(SMALL)
            .eval(
                "for i = 1, 15 do local s = string.rep('x', 1000000) .. i"
                    + " coroutine.wrap(function() coroutine.yield() return s end)() end return 1");
    assertTrue(reply.startsWith("-ERR not enough memory script: "), reply);
  }

  @Test
  void functionsAreCountedWithWhatTheyTakeAlong() {
    String reply =
        new ScriptTester(SMALL)
            .eval(
                "local n = 0 pcall(function() local t = {} while true do local i = n"
                    + " t[n + 1] = function() return i end n = n + 1 end end) return n");
    int made = Integer.parseInt(reply.substring(1).trim());
    assertTrue(made > 10_000 && made < (8 << 20) / 80, made + " functions");
  }

  @Test
  void garbageIsNotCounted() {
    String reply =
        new ScriptTester(SMALL)
            .eval("local s for i = 1, 50000 do s = string.rep('x', 1000) .. i end return #s");
    assertEquals(":1005\r\n", reply);
  }

  @Test
  void aScriptGoesOnAfterItHadTooLittleMemory() {
    String reply =
        new ScriptTester(SMALL)
            .eval("local ok, e = pcall(string.rep, 'x', 1e9) return {e, #string.rep('y', 100)}");
    assertEquals("*2\r\n$17\r\nnot enough memory\r\n:100\r\n", reply);
  }

  @Test
  void deepRecursionEndsAsAnErrorAndTheNextScriptRuns() {
    ScriptTester tester = new ScriptTester();
    for (String script :
        new String[] {
          "local function f() return 1 + f() end return select(2, pcall(f))",
          "local function f(n) return {f(n + 1)} end return select(2, pcall(f, 1))",
          "local t = {} for i = 1, 190 do t = setmetatable({}, {__index = t}) end return t.x",
          "return select(2, pcall(string.find, string.rep('a', 9000), string.rep('a?', 9000)))"
        }) {
      assertTimeoutPreemptively(PATIENCE, () -> tester.eval(script));
      assertEquals(":1\r\n", tester.eval("return 1"));
    }
  }

  @Test
  void tooManyCoroutinesAreAnError() {
    String reply =
        new ScriptTester(SMALL)
            .eval(
                "local t = {} for i = 1, 20 do"
                    + " t[i] = coroutine.create(function() coroutine.yield() end)"
                    + " local ok, e = coroutine.resume(t[i]) if not ok then return {i, e} end end");
    assertEquals("*2\r\n:17\r\n$19\r\ntoo many coroutines\r\n", reply);
  }

  @Test
  void coroutinesEndWithTheirScript() {
    ScriptTester tester = new ScriptTester(SMALL);
    String script =
        "for i = 1, 16 do coroutine.wrap(function() coroutine.yield() end)() end return 1";
    for (int i = 0; i < 5; i++) {
      assertEquals(":1\r\n", tester.eval(script));
    }
  }
}
