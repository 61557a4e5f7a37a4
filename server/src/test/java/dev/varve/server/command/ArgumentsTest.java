package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.resp.Args;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1.5, 1500",
    "0.0001, 1",
    "1e-400, 1",
    "-0.0001, 0",
    "-1e-400, 0",
    "0x10, 16000",
    "9223372036854775.8, 9223372036854775800",
  })
  void aTimeoutIsRoundedUpToWholeMilliseconds(String seconds, long millis) {
    assertEquals(millis, Arguments.timeoutMillis(Args.of("BLPOP", "key", seconds), 2));
  }
}
