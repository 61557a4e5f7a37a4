package dev.varve.server.resp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RespEncoderTest {

  private static String encode(int protocol, Consumer<RespEncoder> replies) {
    RespEncoder reply = new RespEncoder();
    reply.protocol(protocol);
    replies.accept(reply);
    return new String(reply.toByteArray(), StandardCharsets.UTF_8);
  }

  private static void assertShapes(String two, String three, Consumer<RespEncoder> replies) {
    assertEquals(two, encode(2, replies));
    assertEquals(three, encode(3, replies));
  }

  @Test
  void simpleRepliesLookAlikeInBothProtocols() {
    assertShapes("+OK\r\n", "+OK\r\n", RespEncoder::ok);
    assertShapes("+PONG\r\n", "+PONG\r\n", reply -> reply.status("PONG"));
    assertShapes("-ERR a  b\r\n", "-ERR a  b\r\n", reply -> reply.error("ERR a\r\nb"));
    assertShapes("-ERR a b\r\n", "-ERR a b\r\n", reply -> reply.error("ERR a\nb\n\r\n"));
    assertShapes(":-12\r\n", ":-12\r\n", reply -> reply.integer(-12));
    assertShapes("$2\r\nab\r\n", "$2\r\nab\r\n", reply -> reply.bulk("ab"));
    assertShapes("$3\r\n-12\r\n", "$3\r\n-12\r\n", reply -> reply.bulk(-12));
    assertShapes("*3\r\n", "*3\r\n", reply -> reply.array(3));
  }

  @Test
  void richRepliesHaveTheShapeOfTheProtocol() {
    assertShapes("$-1\r\n", "_\r\n", RespEncoder::nullBulk);
    assertShapes("*-1\r\n", "_\r\n", RespEncoder::nullArray);
    assertShapes("*4\r\n", "%2\r\n", reply -> reply.map(2));
    assertShapes("*2\r\n", "~2\r\n", reply -> reply.set(2));
    assertShapes("*2\r\n", ">2\r\n", reply -> reply.push(2));
    assertShapes("$3\r\n1.5\r\n", ",1.5\r\n", reply -> reply.real(1.5));
    assertShapes("$4\r\n-inf\r\n", ",-inf\r\n", reply -> reply.real(Double.NEGATIVE_INFINITY));
    assertShapes(":1\r\n", "#t\r\n", reply -> reply.bool(true));
    assertShapes("$2\r\n12\r\n", "(12\r\n", reply -> reply.bigNumber("12"));
    assertShapes(
        "$2\r\nab\r\n",
        "=6\r\ntxt:ab\r\n",
        reply -> reply.verbatim("txt", "ab".getBytes(StandardCharsets.US_ASCII)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9, 10, 99, 100, 999, 1000, 12_345})
  void aBulkStringOfAnyLengthHasItBefore(int length) {
    String text = "x".repeat(length);
    assertShapes(
        "$" + length + "\r\n" + text + "\r\n:7\r\n",
        "$" + length + "\r\n" + text + "\r\n:7\r\n",
        reply -> {
          reply.bulk(text);
          reply.integer(7);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5_000, 262_000, 262_144, 1_000_000})
  void aBulkStringInPartsIsTheSameAsAWhole(int zeroes) {
    byte[] part = "part".repeat(3_000).getBytes(StandardCharsets.US_ASCII);
    int length = part.length + zeroes + 2;
    String expected =
        "+OK\r\n$" + length + "\r\n" + text(part) + "\0".repeat(zeroes) + "rt\r\n:7\r\n";
    Consumer<RespEncoder> reply =
        its -> {
          its.ok();
          its.beginBulk(length);
          its.part(part, 0, part.length);
          its.zeroes(zeroes);
          its.part(part, 2, 2);
          its.endBulk();
          its.integer(7);
        };
    assertEquals(expected, encode(2, reply));
    assertEquals(expected, inPieces(reply));
  }

  private static String text(byte[] ascii) {
    return new String(ascii, StandardCharsets.US_ASCII);
  }

  /** The same where it leaves as it is made. */
  private static String inPieces(Consumer<RespEncoder> replies) {
    StringBuilder sent = new StringBuilder();
    RespEncoder reply = new RespEncoder();
    reply.stream(
        new ReplySink() {
          @Override
          public void piece(byte[] bytes, int from, int to) {
            assertTrue(to - from <= LongReply.PIECE_BYTES, "longer than a piece");
            sent.append(text(Arrays.copyOfRange(bytes, from, to)));
          }

          @Override
          public void check() {}
        });
    replies.accept(reply);
    reply.endStream();
    return sent.toString();
  }

  @Test
  void aBulkStringThatIsTooLongIsRefusedBeforeAnythingOfItIsThere() {
    RuntimeException tooLong = new IllegalStateException("too long");
    RespEncoder reply = new RespEncoder();
    reply.limit(100_000, tooLong);
    assertSame(
        tooLong,
        assertThrows(IllegalStateException.class, () -> reply.beginBulk(Integer.MAX_VALUE)));
    reply.expect(100_000);
    assertSame(tooLong, assertThrows(IllegalStateException.class, () -> reply.expect(100_001)));
    reply.unlimit();
    reply.expect(100_001);
  }

  @Test
  void aReplyBegunCanBeTakenBack() {
    assertEquals(
        "+OK\r\n:1\r\n",
        encode(
            2,
            reply -> {
              reply.ok();
              int mark = reply.mark();
              reply.array(1000);
              reply.bulk("x".repeat(100_000));
              reply.rollback(mark);
              reply.integer(1);
            }));
  }

  @Test
  void aSizeCanBeKnownAfterwards() {
    assertShapes(
        "+OK\r\n*2\r\n:1\r\n:2\r\n:3\r\n",
        "+OK\r\n%1\r\n:1\r\n:2\r\n:3\r\n",
        reply -> {
          reply.ok();
          int mark = reply.mark();
          reply.integer(1);
          reply.integer(2);
          reply.insertMap(mark, 1);
          reply.integer(3);
        });
  }
}
