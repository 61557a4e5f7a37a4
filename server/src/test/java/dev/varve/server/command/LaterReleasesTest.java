package dev.varve.server.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * What releases after Redis 7.0 say, to the letter; a line is a request and its reply, with {@code
 * |} for the end of a line.
 */
class LaterReleasesTest {
  private final CommandTester tester = new CommandTester();

  private void says(String lines) {
    StringBuilder found = new StringBuilder();
    for (String line : lines.split("\n")) {
      String request = line.substring(0, line.indexOf(" = "));
      String reply = tester.run(request.split(" ")).replace("\r\n", "|");
      found.append(request).append(" = ").append(reply).append('\n');
    }
    assertEquals(lines, found.toString());
  }

  /** Redis 7.4, Valkey 8. */
  @Test
  void fieldsAreWalkedOverWithoutTheirValues() {
    says(
        """
        HSET h a 1 b 2 = :2|
        HSCAN h 0 NOVALUES = *2|$1|0|*2|$1|a|$1|b|
        HSCAN h 0 novalues MATCH a* = *2|$1|0|*1|$1|a|
        HSCAN h 0 COUNT 10 NOVALUES = *2|$1|0|*2|$1|a|$1|b|
        HSCAN none 0 NOVALUES = *2|$1|0|*0|
        SADD s 1 = :1|
        ZADD z 1 a = :1|
        SSCAN s 0 NOVALUES = -ERR NOVALUES option can only be used in HSCAN|
        ZSCAN z 0 NOVALUES = -ERR NOVALUES option can only be used in HSCAN|
        SCAN 0 NOVALUES = -ERR NOVALUES option can only be used in HSCAN|
        HSCAN s 0 NOVALUES = -WRONGTYPE Operation against a key holding the wrong kind of value|
        HSCAN h 0 COUNT = -ERR syntax error|
        """);
  }

  /** Redis 7.4, and after a deletion 8.0. */
  @Test
  void theLastEntryIsRead() {
    says(
        """
        XREAD STREAMS none + = *-1|
        XADD x 1-1 f v = $3|1-1|
        XADD x 1-2 f w = $3|1-2|
        XREAD STREAMS x + = *1|*2|$1|x|*1|*2|$3|1-2|*2|$1|f|$1|w|
        XREAD COUNT 5 STREAMS x + = *1|*2|$1|x|*1|*2|$3|1-2|*2|$1|f|$1|w|
        XDEL x 1-2 = :1|
        XREAD STREAMS x + = *1|*2|$1|x|*1|*2|$3|1-1|*2|$1|f|$1|v|
        XDEL x 1-1 = :1|
        XREAD STREAMS x + = *-1|
        XGROUP CREATE x g 0 = +OK|
        XREADGROUP GROUP g c STREAMS x + = -ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.|
        """);
  }
}
