package dev.varve.perf.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class EngineCommandTest {

  @Test
  void howManyKeysAreGivenCountsEvenForAQuickRun() {
    assertEquals(20_000, EngineCommand.keyCount(20_000L, true));
    assertEquals(20_000, EngineCommand.keyCount(20_000L, false));
    assertEquals(200_000, EngineCommand.keyCount(null, true));
    assertEquals(500_000, EngineCommand.keyCount(null, false));
  }
}
