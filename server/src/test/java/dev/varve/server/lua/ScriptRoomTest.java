package dev.varve.server.lua;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.ScriptRoom;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What libraries keep and scripts make, in all interpreters together, stays within one room. */
class ScriptRoomTest {
  private static final int ROOM_BYTES = 16 << 20;
  private static final int OWN_BYTES = 64 << 10;
  private static final LuaLimits LIMITS = new LuaLimits(ROOM_BYTES, ROOM_BYTES, 16);
  private static final byte[][] NONE = {};

  private static final String KEEPING =
      "local kept = {} redis.register_function('keep', function(keys, args) kept[#kept + 1] ="
          + " string.gmatch(string.rep('x', 100000) .. #kept, '.') return #kept end)"
          + " redis.register_function('drop', function() kept = {} return 0 end)"
          + " redis.register_function('use', function(keys, args) return #string.rep('x',"
          + " tonumber(args[1])) end)";

  private final ScriptRoom room = new ScriptRoom(ROOM_BYTES, OWN_BYTES);

  private record Loaded(FunctionEngine engine, List<RegisteredFunction> functions) {
    @Nullable Object call(String name, String... arguments) {
      byte[][] args = new byte[arguments.length][];
      for (int i = 0; i < args.length; i++) {
        args[i] = arguments[i].getBytes(StandardCharsets.ISO_8859_1);
      }
      RegisteredFunction function =
          functions.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
      try {
        return engine.run(function, NONE, args);
      } catch (dev.varve.server.lua.run.LuaError failed) {
        return String.valueOf(failed.value());
      } finally {
        engine.state().ended();
      }
    }
  }

  private Loaded loaded() throws LoadFailedException {
    FunctionEngine engine =
        new FunctionEngine(LIMITS, room, () -> {}, new ScriptTester(LIMITS), new ScriptRandom());
    byte[] body = KEEPING.getBytes(StandardCharsets.ISO_8859_1);
    return new Loaded(engine, engine.load("1", body, FunctionEngine.UNLIMITED));
  }

  @Test
  void whatAllLibrariesKeepStaysWithinTheRoom() throws LoadFailedException {
    List<Loaded> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(loaded());
    }
    int kept = 0;
    Object refused = null;
    for (int i = 0; i < 400; i++) {
      Object result = all.get(i % all.size()).call("keep");
      if (result instanceof Double) {
        kept++;
      } else {
        refused = result;
      }
    }
    assertEquals("not enough memory, as other scripts and libraries have it", refused);
    assertTrue(kept > 90 && kept < (ROOM_BYTES + 8 * (OWN_BYTES + 100_000)) / 100_000, kept + "");
    assertTrue(room.taken() <= ROOM_BYTES, room.taken() + " bytes");
    for (Loaded each : all) {
      each.call("drop");
      each.call("use", "1000000");
    }
    assertEquals(0, room.taken());
    assertEquals(8_000_000.0, all.get(0).call("use", "8000000"));
  }

  @Test
  void whoeverIsRefusedAgainAndAgainGetsNoMoreByThat() throws LoadFailedException {
    Loaded one = loaded();
    int kept = 0;
    for (int i = 0; i < 1000; i++) {
      kept += one.call("keep") instanceof Double ? 1 : 0;
    }
    assertTrue(kept > 140 && kept < 180, kept + "");
  }

  @Test
  void whatAScriptHasUsedIsThereForOthersWhenItHasEnded() throws LoadFailedException {
    Loaded one = loaded();
    Loaded other = loaded();
    for (int i = 0; i < 10; i++) {
      assertEquals(12_000_000.0, one.call("use", "12000000"));
      assertEquals(12_000_000.0, other.call("use", "12000000"));
      assertEquals(0, room.taken());
    }
  }

  @Test
  void aLibraryThatIsUnloadedGivesBackWhatItKept() throws LoadFailedException {
    Loaded one = loaded();
    for (int i = 0; i < 50; i++) {
      one.call("keep");
    }
    assertTrue(room.taken() > 50 * 100_000, room.taken() + " bytes");
    one.engine().unload("1");
    assertEquals(0, room.taken());
  }

  @Test
  void aLibraryThatIsTooLargeIsRefusedAndLeavesNothing() {
    FunctionEngine engine =
        new FunctionEngine(LIMITS, room, () -> {}, new ScriptTester(LIMITS), new ScriptRandom());
    String code = "local t = {" + "{},".repeat(200_000) + "}";
    LoadFailedException failed =
        assertThrows(
            LoadFailedException.class,
            () ->
                engine.load(
                    "1", code.getBytes(StandardCharsets.ISO_8859_1), FunctionEngine.UNLIMITED));
    assertTrue(String.valueOf(failed.getMessage()).contains("not enough memory"), failed + "");
    assertEquals(0, room.taken());
  }

  @Test
  void whoMayWaitIsGivenWhatOthersGiveBack() throws Exception {
    Loaded one = loaded();
    Loaded other = loaded();
    for (int i = 0; i < 100; i++) {
      one.call("keep");
    }
    other.engine().state().mayWaitForMemory(() -> true);
    List<Object> results = new ArrayList<>();
    Thread waiting = new Thread(() -> results.add(other.call("use", "12000000")));
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(waiting.isAlive(), results + "");
      Thread.onSpinWait();
    }
    one.engine().unload("1");
    waiting.join();
    assertEquals(List.of(12_000_000.0), results);
  }
}
