package dev.varve.codec;

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
    assertEquals(1, ZSetsModel.run(seed, 2500, false, 3000), "levels of counted buckets");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void equalScores(long seed) {
    ZSetsModel.run(seed, 900, true, 2000);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bucketsInMemory(boolean sameScores) {
    assertEquals(1, ZSetsModel.runResident(3, 2500, sameScores, 3000));
  }
}
