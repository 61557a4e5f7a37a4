package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeySlotTest {

  /** The first four are those of the specification. */
  @ParameterizedTest
  @CsvSource({
    "123456789, 12739",
    "foo, 12182",
    "{user1000}.following, 3443",
    "{user1000}.followers, 3443",
    "user1000, 3443",
    "foo{bar}{zap}, 5061",
    "bar, 5061",
    "'', 0"
  })
  void isThatOfTheKeyOrOfWhatItHasInBraces(String key, int slot) {
    assertEquals(slot, KeySlot.of(key.getBytes(StandardCharsets.UTF_8)));
  }

  /** Figures of redis-server 7.0. */
  @ParameterizedTest
  @CsvSource({"foo{}{bar}, 8363", "foo{{bar}}zap, 4015", "{bar, 4015"})
  void bracesWithNothingBetweenThemCountAsWhatTheyAre(String key, int slot) {
    assertEquals(slot, KeySlot.of(key.getBytes(StandardCharsets.UTF_8)));
  }
}
