package dev.varve.perf.peer;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Answers all that speaks RESP, and counts it by command. A thread for each connection. */
final class CountingServer implements Closeable {
  private final ServerSocket listener;
  private final String reply;
  private final Map<String, Long> counts = new ConcurrentHashMap<>();

  /**
   * @param reply to all commands, but for those with which a client begins
   */
  CountingServer(String reply) throws IOException {
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.reply = reply;
    new Thread(this::accept).start();
  }

  long count(String command) {
    return counts.getOrDefault(command, 0L);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        new Thread(() -> serve(socket)).start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        OutputStream out = socket.getOutputStream()) {
      while (true) {
        String command = command(in);
        String its =
            switch (command) {
              case "HELLO", "CLIENT" -> "-ERR unknown command\r\n";
              case "PING" -> "+PONG\r\n";
              default -> reply;
            };
        counts.merge(command, 1L, Long::sum);
        out.write(its.getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException gone) {
      // The client has left.
    }
  }

  private static String command(DataInputStream in) throws IOException {
    int words = number(in);
    String first = "";
    for (int i = 0; i < words; i++) {
      byte[] word = new byte[number(in)];
      in.readFully(word);
      in.skipNBytes(2);
      if (i == 0) {
        first = new String(word, StandardCharsets.UTF_8).toUpperCase(Locale.ROOT);
      }
    }
    return first;
  }

  /** Of a line such as {@code *3} or {@code $12}. */
  private static int number(DataInputStream in) throws IOException {
    in.readByte();
    int number = 0;
    for (byte next = in.readByte(); next != '\r'; next = in.readByte()) {
      number = 10 * number + next - '0';
    }
    in.readByte();
    return number;
  }

  /** This server, as one that is known by its address. */
  Peer peer() throws IOException {
    return Peer.named("127.0.0.1:" + listener.getLocalPort(), Path.of("."), "no");
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
