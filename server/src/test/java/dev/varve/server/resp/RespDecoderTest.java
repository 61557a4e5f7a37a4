package dev.varve.server.resp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RespDecoderTest {

  /** What came out, as text: each request's parts in brackets, or the error. */
  private static class Found implements RequestSink {
    final List<String> found = new ArrayList<>();

    @Override
    public void request(Args args) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < args.count(); i++) {
        text.append('[').append(new String(args.get(i), StandardCharsets.ISO_8859_1)).append(']');
      }
      found.add(text.toString());
    }

    @Override
    public void protocolError(String what) {
      found.add("! " + what);
    }
  }

  private static List<String> decode(String bytes) {
    return decode(bytes, List.of(), true, false);
  }

  private static List<String> decode(
      String bytes, List<Integer> cuts, boolean heap, boolean unauthenticated) {
    Found found = new Found();
    RespDecoder decoder =
        new RespDecoder(
            new byte[16], () -> unauthenticated, () -> RespDecoder.BULK_BYTES_MAX_DEFAULT);
    byte[] all = bytes.getBytes(StandardCharsets.ISO_8859_1);
    int from = 0;
    for (int i = 0; i <= cuts.size(); i++) {
      int to = i == cuts.size() ? all.length : cuts.get(i);
      ByteBuf in = heap ? Unpooled.buffer() : Unpooled.directBuffer();
      in.writeBytes(all, from, to - from);
      decoder.decode(in, found);
      assertEquals(0, in.readableBytes());
      in.release();
      from = to;
    }
    return found.found;
  }

  private static String multiBulk(String... parts) {
    StringBuilder text = new StringBuilder("*" + parts.length + "\r\n");
    for (String part : parts) {
      text.append('$').append(part.length()).append("\r\n").append(part).append("\r\n");
    }
    return text.toString();
  }

  @Test
  void multiBulkRequestsComeOutInOrder() {
    assertEquals(
        List.of("[SET][key][]", "[GET][a\r\nb]"),
        decode(multiBulk("SET", "key", "") + multiBulk("GET", "a\r\nb")));
  }

  @Test
  void whatIsBehindARequestStaysIfItIsToWaitForThat() {
    for (boolean heap : new boolean[] {true, false}) {
      RespDecoder[] decoder = new RespDecoder[1];
      Found found =
          new Found() {
            @Override
            public void request(Args args) {
              super.request(args);
              decoder[0].pause();
            }
          };
      decoder[0] =
          new RespDecoder(new byte[16], () -> false, () -> RespDecoder.BULK_BYTES_MAX_DEFAULT);
      String rest = "PING\r\n" + multiBulk("GET", "b");
      ByteBuf in = heap ? Unpooled.buffer() : Unpooled.directBuffer();
      in.writeBytes((multiBulk("GET", "a") + rest).getBytes(StandardCharsets.ISO_8859_1));
      decoder[0].decode(in, found);
      assertEquals(List.of("[GET][a]"), found.found);
      assertEquals(rest, in.toString(StandardCharsets.ISO_8859_1));
      decoder[0].decode(in, found);
      decoder[0].decode(in, found);
      assertEquals(List.of("[GET][a]", "[PING]", "[GET][b]"), found.found);
      assertEquals(0, in.readableBytes());
      in.release();
    }
  }

  @Test
  void emptyAndNegativeCountsAreNoRequests() {
    assertEquals(List.of("[PING]"), decode("*0\r\n*-5\r\n\r\n \r\nPING\r\n"));
  }

  @Test
  void inlineWordsKnowQuotesAndEscapes() {
    assertEquals(
        List.of("[set][a b][A\n\t\\'\"q][it's]"),
        decode("set \"a b\" \"\\x41\\n\\t\\\\'\\\"\\q\" 'it\\'s'\r\n"));
    assertEquals(List.of("[a][b][]"), decode("  a   b \"\"  \n"));
  }

  @Test
  void brokenRequestsGiveRedissErrors() {
    String long70k = "1".repeat(70_000);
    assertEquals(List.of("! invalid multibulk length"), decode("*abc\r\n"));
    assertEquals(List.of("! invalid multibulk length"), decode("*2147483648\r\n"));
    assertEquals(List.of("! invalid multibulk length"), decode("*03\r\n"));
    assertEquals(List.of("! invalid multibulk length"), decode("*\r\n"));
    assertEquals(List.of("! invalid multibulk length"), decode("*1\n$4\r\nPING\r\n"));
    assertEquals(List.of("! expected '$', got ':'"), decode("*1\r\n:3\r\n"));
    assertEquals(List.of("! invalid bulk length"), decode("*1\r\n$-1\r\n"));
    assertEquals(List.of("! invalid bulk length"), decode("*1\r\n$abc\r\n"));
    assertEquals(List.of("! invalid bulk length"), decode("*1\r\n$536870913\r\n"));
    assertEquals(List.of("! unbalanced quotes in request"), decode("set \"a\r\n"));
    assertEquals(List.of("! unbalanced quotes in request"), decode("set 'a\r\n"));
    assertEquals(List.of("! unbalanced quotes in request"), decode("set \"a\"b\r\n"));
    assertEquals(List.of("! too big inline request"), decode(long70k));
    assertEquals(List.of("! too big mbulk count string"), decode("*" + long70k));
    assertEquals(List.of("! too big bulk count string"), decode("*1\r\n$" + long70k));
  }

  @Test
  void nothingFollowsAnError() {
    assertEquals(
        List.of("[PING]", "! expected '$', got '!'"), decode("PING\r\n*1\r\n!\r\nPING\r\n"));
  }

  @Test
  void unauthenticatedClientsMayAnnounceLittle() {
    assertEquals(
        List.of("! unauthenticated multibulk length"), decode("*11\r\n", List.of(), true, true));
    assertEquals(
        List.of("! unauthenticated bulk length"),
        decode("*1\r\n$16385\r\n", List.of(), true, true));
    assertEquals(List.of("[AUTH][x]"), decode(multiBulk("AUTH", "x"), List.of(), true, true));
  }

  @Test
  void announcedSizesAllocateNothing() {
    // A gigabyte of announcements: the test's heap would not hold it.
    Found found = new Found();
    List<RespDecoder> decoders = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      RespDecoder decoder =
          new RespDecoder(new byte[16], () -> false, () -> RespDecoder.BULK_BYTES_MAX_DEFAULT);
      String begun = "*2147483647\r\n$536870912\r\nx";
      decoder.decode(Unpooled.copiedBuffer(begun, StandardCharsets.US_ASCII), found);
      assertEquals(1, decoder.bytesHeld());
      decoders.add(decoder);
    }
    assertTrue(found.found.isEmpty());
  }

  @Test
  void whatRequestsTakeIsCountedWithTheRoomThatIsMadeForThem() {
    RespDecoder decoder =
        new RespDecoder(new byte[16], () -> false, () -> RespDecoder.BULK_BYTES_MAX_DEFAULT);
    Found found = new Found();
    decode(decoder, multiBulk("GET", "a").repeat(10) + "a b c\r\n", found);
    long taken = decoder.takeRequestBytes();
    assertTrue(taken > 10 * (2 * 24 + 4 + 24) + 3 * 24 && taken < 11 * 200, taken + " bytes");
    assertEquals(0, decoder.takeRequestBytes());
    assertEquals(0, decoder.heapBytesHeld());
    decode(decoder, "*3\r\n$3\r\nSET\r\n$1000000\r\n" + "x".repeat(40_000), found);
    assertTrue(decoder.heapBytesHeld() > 40_000 && decoder.heapBytesHeld() < 4 * 40_000 + 100);
    assertEquals(0, decoder.takeRequestBytes());
    decoder.drop();
    assertEquals(0, decoder.heapBytesHeld());
    int before = found.found.size();
    decode(decoder, "PING\r\n", found);
    assertEquals(before, found.found.size(), "nothing follows");
  }

  @Test
  void theBeginningOfSomethingLongTakesNoMoreThanHasComeAndTheRestIsKnown() {
    RespDecoder decoder =
        new RespDecoder(new byte[64], () -> false, () -> RespDecoder.BULK_BYTES_MAX_DEFAULT);
    Found found = new Found();
    decode(decoder, "*3\r\n$3\r\nSET\r\n$1000000\r\n", found);
    ByteBuf body = Unpooled.buffer().writeZero(10_000);
    decoder.decode(body, found);
    long overhead = decoder.heapBytesHeld() - 10_000;
    assertTrue(overhead > 0 && overhead < 100, overhead + " bytes");
    assertEquals(1_000_000 + overhead, decoder.heapBytesAnnounced());
    decoder.decode(Unpooled.buffer().writeZero(990_000), found);
    assertEquals(1_000_000 + overhead, decoder.heapBytesAnnounced());
    decode(decoder, "\r\n$2\r\n", found);
    assertTrue(decoder.heapBytesAnnounced() - decoder.heapBytesHeld() <= 2);
  }

  private static void decode(RespDecoder decoder, String bytes, Found found) {
    decoder.decode(Unpooled.copiedBuffer(bytes, StandardCharsets.ISO_8859_1), found);
  }

  @Test
  void anySplitOfTheBytesGivesTheSameRequests() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      String bytes = randomBytes(random);
      List<String> whole = decode(bytes);
      List<Integer> cuts = new ArrayList<>();
      for (int at = 0; at < bytes.length(); at++) {
        if (random.nextInt(4) == 0) {
          cuts.add(at);
        }
      }
      assertEquals(
          whole,
          decode(bytes, cuts, random.nextBoolean(), false),
          "seed " + seed + ", round " + round);
    }
  }

  private static String randomBytes(Random random) {
    StringBuilder bytes = new StringBuilder();
    int requests = 1 + random.nextInt(4);
    for (int i = 0; i < requests; i++) {
      switch (random.nextInt(8)) {
        case 0 -> bytes.append("set \"a\\x00b\" 'c'\r\n");
        case 1 -> bytes.append("\r\nPING\n");
        case 2 -> bytes.append("*0\r\n");
        case 3 -> bytes.append(multiBulk("BIG", "v".repeat(random.nextInt(100))));
        case 4 -> bytes.append(damaged(multiBulk("GET", "key"), random));
        default -> {
          String[] parts = new String[1 + random.nextInt(5)];
          for (int part = 0; part < parts.length; part++) {
            parts[part] =
                random
                    .ints(random.nextInt(9), 0, 256)
                    .collect(
                        StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
          }
          bytes.append(multiBulk(parts));
        }
      }
    }
    return bytes.toString();
  }

  private static String damaged(String bytes, Random random) {
    StringBuilder damaged = new StringBuilder(bytes);
    damaged.setCharAt(random.nextInt(bytes.length()), (char) random.nextInt(128));
    return damaged.toString();
  }
}
