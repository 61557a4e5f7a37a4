package dev.varve.server.resp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
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
