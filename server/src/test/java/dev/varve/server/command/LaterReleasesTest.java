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

  /** Valkey 8.1 and Redis 8.4. */
  @Test
  void aStringIsSetIfItIsWhatOneThinks() {
    says(
        """
        SET k a IFEQ a = $-1|
        SET k a = +OK|
        SET k b IFEQ x = $-1|
        SET k b ifeq a = +OK|
        SET k c IFEQ b GET = $1|b|
        SET k d IFEQ x GET = $1|c|
        SET none d IFEQ x GET = $-1|
        EXISTS none = :0|
        SET k e IFEQ c EX 100 = +OK|
        TTL k = :100|
        SET k f IFEQ e KEEPTTL = +OK|
        TTL k = :100|
        SET k g IFEQ f = +OK|
        TTL k = :-1|
        SET k h NX IFEQ g = -ERR syntax error|
        SET k h IFEQ g XX = -ERR syntax error|
        SET k h IFEQ g IFEQ g = -ERR syntax error|
        SET k h IFEQ = -ERR syntax error|
        SET k h IFEQ GET = $-1|
        SET k h IFEQ g EX 0 = -ERR invalid expire time in 'set' command|
        LPUSH l 1 = :1|
        SET l h IFEQ 1 = -WRONGTYPE Operation against a key holding the wrong kind of value|
        SET n 10 = +OK|
        SET n 11 IFEQ 10 = +OK|
        SET n 12 IFEQ 011 = $-1|
        """);
  }

  /** Redis 8.4, by its documentation. */
  @Test
  void aStringIsSetIfItIsNotWhatOneThinks() {
    says(
        """
        SET k a IFNE a = +OK|
        SET k b IFNE a = $-1|
        SET k b IFNE a GET = $1|a|
        SET k b IFNE x GET = $1|a|
        GET k = $1|b|
        SET k c IFNE x PX 5000 = +OK|
        PTTL k = :5000|
        SET other c IFNE x GET = $-1|
        GET other = $1|c|
        SET k d IFNE a IFEQ c = -ERR syntax error|
        LPUSH l 1 = :1|
        SET l h IFNE 1 = -WRONGTYPE Operation against a key holding the wrong kind of value|
        """);
  }

  /** DELIFEQ as Valkey 9; DELEX as Redis 8.4, by its documentation and by tests for its errors. */
  @Test
  void aStringIsDeletedIfItIsWhatOneThinks() {
    says(
        """
        SET k g = +OK|
        DELIFEQ k x = :0|
        DELIFEQ k g = :1|
        DELIFEQ k g = :0|
        LPUSH l x = :1|
        DELIFEQ l x = -WRONGTYPE Operation against a key holding the wrong kind of value|
        DELIFEQ l = -ERR wrong number of arguments for 'delifeq' command|
        SET k g = +OK|
        DELEX k IFEQ x = :0|
        DELEX k IFNE g = :0|
        DELEX k IFNE x = :1|
        DELEX k IFNE x = :0|
        SET k g = +OK|
        DELEX k ifeq g = :1|
        DELEX k = :0|
        DELEX l FOO x = -ERR Key should be of string type if conditions are specified|
        DELEX l = :1|
        SET k g = +OK|
        DELEX k FOO g = -ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE|
        DELEX k IFEQ = -ERR wrong number of arguments for 'delex' command|
        DELEX none IFEQ a more = -ERR wrong number of arguments for 'delex' command|
        """);
  }

  /** Valkey 9.1, but for two errors in the words of Redis 8.4. */
  @Test
  void severalStringsAreSetWithOneExpiry() {
    says(
        """
        MSETEX 1 a 1 = :1|
        MSETEX 2 a 2 b 2 NX = :0|
        EXISTS a b = :1|
        MSETEX 2 c 1 d 2 NX = :1|
        MSETEX 2 c 3 d 3 XX EX 100 = :1|
        TTL d = :100|
        MSETEX 2 c 3 e 3 XX = :0|
        MSETEX 1 c 5 KEEPTTL = :1|
        TTL c = :100|
        MSETEX 1 c 5 = :1|
        TTL c = :-1|
        MSETEX 1 c 6 NX NX = :0|
        MSETEX 2 r 1 r 2 NX = :1|
        GET r = $1|2|
        LPUSH l 1 = :1|
        MSETEX 1 l 5 = :1|
        TYPE l = +string|
        MSETEX 1 c 5 EXAT 1 = :1|
        EXISTS c = :0|
        MSETEX 1 c 5 NX XX = -ERR syntax error|
        MSETEX 1 c 5 EX 1 PX 1 = -ERR syntax error|
        MSETEX 1 c 5 EX 100 KEEPTTL = -ERR syntax error|
        MSETEX 1 c 5 GET = -ERR syntax error|
        MSETEX 1 c 5 IFEQ 5 = -ERR syntax error|
        MSETEX 1 c 5 EX 0 = -ERR invalid expire time in 'msetex' command|
        MSETEX 1 c 5 EX a = -ERR value is not an integer or out of range|
        MSETEX 1 c = -ERR wrong number of arguments for 'msetex' command|
        MSETEX 0 c 5 = -ERR invalid numkeys value|
        MSETEX a c 5 = -ERR invalid numkeys value|
        MSETEX 2147483648 c 5 = -ERR invalid numkeys value|
        MSETEX 2 c 5 = -ERR wrong number of key-value pairs|
        MSETEX 2147483647 c 5 = -ERR wrong number of key-value pairs|
        """);
  }

  /** Redis 8.2, by its documentation. */
  @Test
  void bitsAreChosenByTheStringsThatHaveThem() {
    says(
        """
        SET x abc = +OK|
        SET y `b = +OK|
        SET z b = +OK|
        BITOP DIFF d x y z = :3|
        BITFIELD d GET u8 0 GET u8 8 GET u8 16 = *3|:1|:0|:99|
        BITOP DIFF1 d x y z = :3|
        BITFIELD d GET u8 0 GET u8 8 GET u8 16 = *3|:2|:0|:0|
        BITOP ANDOR d x y z = :3|
        BITFIELD d GET u8 0 GET u8 8 GET u8 16 = *3|:96|:98|:0|
        BITOP ONE d x y z = :3|
        BITFIELD d GET u8 0 GET u8 8 GET u8 16 = *3|:3|:0|:99|
        BITOP ONE d x = :3|
        GET d = $3|abc|
        BITOP DIFF d none x = :3|
        BITFIELD d GET u24 0 = *1|:0|
        BITOP ONE d none none = :0|
        EXISTS d = :0|
        BITOP DIFF d x = -ERR BITOP DIFF must be called with at least two source keys.|
        BITOP diff1 d x = -ERR BITOP DIFF1 must be called with at least two source keys.|
        BITOP ANDOR d x = -ERR BITOP ANDOR must be called with at least two source keys.|
        LPUSH l 1 = :1|
        BITOP ONE d x l = -WRONGTYPE Operation against a key holding the wrong kind of value|
        """);
  }
}
