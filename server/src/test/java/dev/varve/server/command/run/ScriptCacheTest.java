package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.DataException;
import dev.varve.server.script.ScriptCache;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class ScriptCacheTest {
  private static final byte[] SOURCE = new byte[744];

  /** A sixteenth of it has room for four of them. */
  private final ScriptCache cache = new ScriptCache(16 * 4_000);

  @Test
  void whenItIsFullTheOldestThatWereOnlyRunAreForgotten() {
    cache.addEvaluated("first", SOURCE);
    cache.addLoaded("loaded", SOURCE);
    cache.addEvaluated("second", SOURCE);
    cache.addLoaded("second", SOURCE);
    cache.addEvaluated("third", SOURCE);
    assertEquals(4, cache.count());
    cache.addEvaluated("fourth", SOURCE);
    assertNull(cache.source("first"));
    cache.addEvaluated("fifth", SOURCE);
    assertNull(cache.source("third"));
    assertNotNull(cache.source("loaded"));
    assertNotNull(cache.source("second"), "it was loaded after it was run");
    assertEquals(4, cache.count());
  }

  @Test
  void whatWasCompiledGoesWithTheScripts() throws InterruptedException {
    Object compiled = new byte[1];
    WeakReference<Object> met = new WeakReference<>(compiled);
    cache.keepUntilClear(compiled);
    compiled = null;
    System.gc();
    assertNotNull(met.get());
    cache.clear();
    for (int i = 0; i < 100 && met.get() != null; i++) {
      System.gc();
      Thread.sleep(1);
    }
    assertNull(met.get());
  }

  @Test
  void whatIsLoadedStaysAndMoreIsRefused() {
    for (int i = 0; i < 4; i++) {
      cache.addLoaded("script" + i, SOURCE);
    }
    assertThrows(DataException.class, () -> cache.addLoaded("more", SOURCE));
    assertNull(cache.source("more"));
    cache.addLoaded("script0", SOURCE);
    assertEquals(4, cache.count());
    cache.clear();
    cache.addLoaded("more", SOURCE);
    assertEquals(1, cache.count());
  }
}
