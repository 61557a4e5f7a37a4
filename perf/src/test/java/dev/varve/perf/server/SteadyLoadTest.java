package dev.varve.perf.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SteadyLoadTest {
  private static final byte[] PONG = "+PONG\r\n".getBytes(StandardCharsets.UTF_8);
  private static final int PING_BYTES = "*1\r\n$4\r\nPING\r\n".length();
  private static final int STALL_MILLIS = 500;

  /** Answers nothing for a while, and then all that was asked. */
  private static void stall(ServerSocket listener, CountDownLatch isAsked) {
    try (Socket socket = listener.accept()) {
      InputStream in = socket.getInputStream();
      in.skipNBytes(PING_BYTES);
      isAsked.countDown();
      Thread.sleep(STALL_MILLIS);
      do {
        socket.getOutputStream().write(PONG);
        in.skipNBytes(PING_BYTES);
      } while (true);
    } catch (IOException ended) {
      // The load has left.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void whatAStallAtTheEndHoldsUpCounts() throws IOException, InterruptedException {
    CountDownLatch isAsked = new CountDownLatch(1);
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> stall(listener, isAsked));
      server.start();
      try (SteadyLoad load =
          new SteadyLoad(new RespConnection(listener.getLocalPort()), SteadyLoad.Mix.PING, 1_000)) {
        isAsked.await();
        assertEquals(0, load.latencies().getTotalCount());

        Histogram latencies = load.end();

        assertTrue(latencies.getTotalCount() > 0);
        assertTrue(
            latencies.getMaxValue() >= TimeUnit.MILLISECONDS.toNanos(STALL_MILLIS / 2),
            () -> "longest: " + latencies.getMaxValue());
      }
      server.join();
    }
  }
}
