package dev.varve.codec.zset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random operations on sorted sets, compared with {@link ZSetsModel} all along. */
class ZSetsModelTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void packed(long seed) {
    ZSetsModel.run(seed, 20, false, 2000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void growingAndShrinking(long seed) {
    ZSetsModel.run(seed, 200, false, 2000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void counted(long seed) {
    assertEquals(1, ZSetsModel.run(seed, 20_000, false, 30_000), "levels of counted buckets");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void equalScores(long seed) {
    ZSetsModel.run(seed, 900, true, 2000);
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void bucketsInMemory(long seed) {
    assertEquals(1, ZSetsModel.runResident(seed, 20_000, 30_000));
  }
}
