package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.RedisOracle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long clients want to wait: what redis-server takes for a time, and what it says of others.
 */
class WaitTimeoutDifferentialTest {
  private static final String ZEROES = "0".repeat(300);

  /** Of each, @ is the time. */
  private static final List<String> REQUESTS =
      List.of(
          "BLPOP k @",
          "BRPOP k l @",
          "BLMOVE k l LEFT RIGHT @",
          "BLMPOP @ 1 k LEFT",
          "BRPOPLPUSH k l @",
          "BZPOPMIN k @",
          "BZPOPMAX k @",
          "BZMPOP @ 1 k MIN",
          "XREAD BLOCK @ STREAMS k 0",
          "XREADGROUP GROUP group consumer BLOCK @ STREAMS stream >",
          "WAIT 1 @",
          "WAIT 0 @");

  private static final List<String> TIMES =
      List.of(
          "0",
          "0.01",
          "-0",
          "-1",
          "-0.0001",
          "1e-400",
          "-1e-400",
          "1e-5000",
          "1e400",
          "-1e400",
          "1e4932",
          "1e4933",
          "1e5000",
          "1e99999999999",
          "inf",
          "-inf",
          "+inf",
          "infinity",
          "nan",
          "-nan",
          "0x0.01",
          "0x1p-7",
          "0x1p16383",
          "0x1p16384",
          "0x",
          "",
          " ",
          " 0.01",
          "0.01 ",
          "\t0.01",
          "0.01\0",
          "+0.01",
          ".01",
          "1.",
          "1e",
          "01",
          "1_0",
          "abc",
          "0.01" + ZEROES,
          "0.01" + ZEROES.repeat(10),
          "0.01" + ZEROES.repeat(20),
          "1000000000000",
          "1000000000001.5",
          "9223372036854774",
          "9223372036854775.8",
          "9223372036854775.9",
          "9223372036854776",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "-9223372036854775809",
          "1e15",
          "1e16",
          "1e19");

  /** A client of a server, and another one that ends its wait. */
  private static final class Pair implements AutoCloseable {
    private final RawClient client;
    private final RawClient control;
    private final String id;

    Pair(int port) throws IOException {
      client = new RawClient(port);
      control = new RawClient(port);
      id = client.ask("CLIENT ID").substring(1).replace("|", "");
      assertEquals("+OK|", control.ask("XGROUP CREATE stream group $ MKSTREAM"));
    }

    /** What is said to {@code request}, or that the client waits. */
    String ask(String request, String time) throws IOException {
      List<String> words = new ArrayList<>(List.of(request.split(" ")));
      words.set(words.indexOf("@"), time);
      client.send("*" + words.size() + "|");
      for (String word : words) {
        client.send("$" + word.length() + "|" + word + "|");
      }
      while (!client.hasReply() && control.ask("CLIENT UNBLOCK " + id).equals(":0|")) {
        Thread.onSpinWait();
      }
      return client.reply();
    }

    @Override
    public void close() throws IOException {
      client.close();
      control.close();
    }
  }

  @Test
  void timesAreReadAsRedisReadsThem(@TempDir Path directory) throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory);
        ServerFixture fixture = new ServerFixture();
        Pair theirs = new Pair(redis.port());
        Pair ours = new Pair(fixture.server.port())) {
      for (String request : REQUESTS) {
        for (String time : TIMES) {
          assertEquals(theirs.ask(request, time), ours.ask(request, time), request + " " + time);
        }
      }
    }
  }
}
