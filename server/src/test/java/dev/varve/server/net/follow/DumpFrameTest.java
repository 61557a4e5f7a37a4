package dev.varve.server.net.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.dump.RdbImport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DumpFrameTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final String MARK = "9f3c1a7e5b2d8046c1e7f0a9d3b5482617e6c0fa";

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
  }

  @Test
  void aLengthSaysWhereItEnds() throws IOException {
    DumpFrame frame = new DumpFrame("$10");
    assertEquals(10, frame.length());
    assertEquals(false, frame.take(bytes("01234"), taken::writeBytes));
    assertEquals(5, frame.takenBytes());
    ByteBuf last = bytes("56789+and more");
    assertEquals(true, frame.take(last, taken::writeBytes));
    assertEquals("0123456789", taken.toString(StandardCharsets.ISO_8859_1));
    assertEquals("+and more", last.toString(StandardCharsets.ISO_8859_1));
  }

  @Test
  void nothingIsAllThereIs() throws IOException {
    assertEquals(true, new DumpFrame("$0").take(bytes("x"), taken::writeBytes));
    assertEquals(0, taken.size());
  }

  @Test
  void aMarkSaysWhereItEndsHoweverItComes() throws IOException {
    System.out.println("DumpFrameTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 500; round++) {
      taken.reset();
      // What looks like the mark, and is not.
      String data = MARK.substring(0, random.nextInt(40)).repeat(random.nextInt(4));
      String all = data + MARK;
      DumpFrame frame = new DumpFrame("$EOF:" + MARK);
      assertEquals(RdbImport.TO_ITS_END, frame.length());
      boolean isEnd = false;
      for (int at = 0; at < all.length(); ) {
        assertEquals(false, isEnd);
        int to = Math.min(all.length(), at + 1 + random.nextInt(50));
        isEnd = frame.take(bytes(all.substring(at, to)), taken::writeBytes);
        at = to;
      }
      assertEquals(true, isEnd);
      assertEquals(data, taken.toString(StandardCharsets.ISO_8859_1));
      assertEquals(data.length(), frame.takenBytes());
    }
  }

  @Test
  void otherLinesAreNone() {
    for (String header : new String[] {"", "$", "$-1", "$x", "10", "$EOF:short", "+OK"}) {
      IOException refused = assertThrows(IOException.class, () -> new DumpFrame(header));
      assertEquals("no data, but '" + header + "'", refused.getMessage());
    }
  }
}
