package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.net.RawClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** More is to be written at once than the heap has room for: an error, and others are served. */
@Timeout(300)
class LargeWritesProcessTest {
  private static final MemoryBudget BUDGET = new MemoryBudget(64, 32);

  private final ServerProcess server;

  LargeWritesProcessTest(@TempDir Path directory) throws IOException, InterruptedException {
    server = ServerProcess.startWithin(BUDGET, directory);
  }

  @AfterEach
  void stopServer() throws InterruptedException {
    try (server) {
      assertEquals(0, server.stop().exit());
    }
  }

  @Test
  void aMultiWithoutEndIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      assertEquals("+OK|", client.ask("MULTI"));
      String value = "x".repeat(100);
      int commands = 400_000;
      int atOnce = 1_000;
      Set<String> replies = new HashSet<>();
      for (int i = 0; i < commands; i += atOnce) {
        StringBuilder requests = new StringBuilder();
        for (int j = 0; j < atOnce; j++) {
          requests.append("SET key:").append(i + j).append(' ').append(value).append('|');
        }
        client.send(requests.toString());
        for (int j = 0; j < atOnce; j++) {
          replies.add(client.reply());
        }
      }
      assertEquals(
          Set.of("+QUEUED|", "-ERR MULTI has queued more than an eighth of the heap|"), replies);
      assertEquals("+PONG|", other.ask("PING"));
      assertTrue(client.ask("EXEC").startsWith("-EXECABORT "));
      assertEquals("$-1|", client.ask("GET key:1"));
    }
  }

  @Test
  void aScriptThatWritesTooMuchWritesNothing() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      String script = "\"for i=1,600000 do redis.call('set','written'..i,i) end return 1\"";
      String reply = client.ask("EVAL " + script + " 0");
      assertTrue(reply.startsWith("-ERR what is written at once takes more than"), reply);
      assertEquals("+PONG|", other.ask("PING"));
      assertEquals("$-1|", client.ask("GET written1"));
      assertEquals("+OK|", client.ask("SET written1 1"));
    }
  }

  @Test
  void aUnionThatIsTooLargeToBeStoredIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      load(client, "one", 0);
      load(client, "two", 150_000);
      String reply = client.ask("SUNIONSTORE both one two");
      assertTrue(reply.startsWith("-ERR what is written at once takes more than"), reply);
      assertEquals("+PONG|", other.ask("PING"));
      assertEquals(":0|", client.ask("EXISTS both"));
      assertEquals(":300000|", client.ask("SCARD one"));
    }
  }

  /** A list of ten million numbers, all the same, is a listpack of 20 MB, and 227 KB compressed. */
  @Test
  void aShortPayloadThatIsALargeValueIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      byte[] payload = zeroes(10_000_000);
      String request = "*4|$7|RESTORE|$1|l|$1|0|$" + payload.length + "|";
      client.send(request).sendRaw(payload).send("|");
      String reply = client.reply();
      assertTrue(reply.startsWith("-ERR what is written at once takes more than"), reply);
      assertEquals("+PONG|", other.ask("PING"));
      assertEquals(":0|", client.ask("EXISTS l"));
    }
  }

  /** What DUMP would give of a list of so many zeroes, in one node. */
  private static byte[] zeroes(int count) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    int bytes = 6 + 2 * count + 1;
    // Its length, a count that nobody knows, and the first of them: 9 bytes as they are.
    packed.write(8);
    packed.writeBytes(littleEndian(bytes, 4));
    packed.writeBytes(new byte[] {-1, -1, 0, 1, 0});
    int left = bytes - 9 - 1;
    while (left > 0) {
      // Some of what was two bytes before, 3 to 264; never are fewer than 3 left.
      int length = left <= 264 ? left : Math.min(264, left - 3);
      packed.write((Math.min(7, length - 2)) << 5);
      if (length >= 9) {
        packed.write(length - 9);
      }
      packed.write(1);
      left -= length;
    }
    packed.writeBytes(new byte[] {0, -1});
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    payload.writeBytes(new byte[] {18, 1, 2, (byte) 0xC3});
    payload.writeBytes(length(packed.size()));
    payload.writeBytes(length(bytes));
    payload.writeBytes(packed.toByteArray());
    payload.writeBytes(littleEndian(10, 2));
    payload.writeBytes(littleEndian(checksum(payload.toByteArray()), 8));
    return payload.toByteArray();
  }

  private static byte[] length(int value) {
    return ByteBuffer.allocate(5).put((byte) 0x80).putInt(value).array();
  }

  private static byte[] littleEndian(long value, int count) {
    byte[] bytes = new byte[count];
    for (int i = 0; i < count; i++) {
      bytes[i] = (byte) (value >>> 8 * i);
    }
    return bytes;
  }

  private static long checksum(byte[] bytes) {
    long crc = 0;
    for (byte one : bytes) {
      crc ^= one & 0xFF;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0x95AC9329AC4BC9B5L;
      }
    }
    return crc;
  }

  @Test
  void aLongValueThatIsStoredManyTimesIsRefused() throws IOException {
    try (RawClient client = server.client();
        RawClient other = server.client()) {
      client.send("*3|$3|SET|$3|w_x|$1048576|" + "v".repeat(1 << 20) + "|");
      assertEquals("+OK|", client.reply());
      assertEquals(":200|", client.ask("RPUSH l" + " x".repeat(200)));
      String reply = client.ask("SORT l BY nosort GET w_* STORE stored");
      assertTrue(reply.startsWith("-ERR what is written at once takes more than"), reply);
      assertEquals("+PONG|", other.ask("PING"));
      assertEquals(":0|", client.ask("EXISTS stored"));
    }
  }

  private static void load(RawClient client, String key, int from) throws IOException {
    int atOnce = 1_000;
    for (int i = from; i < from + 300_000; i += atOnce) {
      StringBuilder request = new StringBuilder("SADD ").append(key);
      for (int j = i; j < i + atOnce; j++) {
        request.append(" member:").append(j);
      }
      assertEquals(":" + atOnce + "|", client.ask(request.toString()));
    }
  }
}
