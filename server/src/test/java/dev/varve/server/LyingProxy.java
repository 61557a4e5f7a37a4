package dev.varve.server;

import dev.varve.server.net.RawClient;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and a server and makes of it one that is broken: now and then it answers a
 * request by itself, as a server would that has one certain bug.
 *
 * <p>Each connection is passed on in a thread of its own.
 */
final class LyingProxy implements AutoCloseable {

  /** One request of a kind in so many is lied about. */
  private static final int LIES_ONE_IN = 10;

  /** Which bug the server seems to have. */
  enum Lie {
    /** Passes on everything, so that what is found is due to the lies. */
    NONE,
    /** Says OK to a write that it then forgets. */
    FORGETS_WRITES,
    /** Shows the value that somebody read before. */
    SHOWS_OLD_VALUES,
    /** Does one write twice, as who replays a log over a state that it is in already. */
    WRITES_TWICE
  }

  private final Lie lie;
  private final int serverPort;
  private final ServerSocket listening;
  private final AtomicInteger candidates = new AtomicInteger();
  private final AtomicInteger lies = new AtomicInteger();
  private final Map<String, String> oldReplies = new ConcurrentHashMap<>();
  private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();

  LyingProxy(ServerProcess server, Lie lie) throws IOException {
    this.lie = lie;
    this.serverPort = server.port();
    this.listening = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    open.add(listening);
    new Thread(this::accept, "lying-proxy").start();
  }

  /** A new connection that goes through here. */
  RawClient client() throws IOException {
    return new RawClient(listening.getLocalPort());
  }

  /** How often it has lied. */
  int lies() {
    return lies.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        client.setTcpNoDelay(true);
        open.add(client);
        RawClient server = new RawClient(serverPort);
        open.add(server);
        new Thread(() -> pass(client, server), "lying-proxy-connection").start();
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void pass(Socket client, RawClient server) {
    try (client;
        server) {
      InputStream in = new BufferedInputStream(client.getInputStream());
      boolean isQueueing = false;
      while (true) {
        List<String> words = Request.read(in);
        String name = words.get(0);
        isQueueing = (isQueueing || name.equals("MULTI")) && !name.equals("EXEC");
        String reply = isQueueing ? null : lie(words, server);
        if (reply == null) {
          reply = server.send(Request.text(words)).reply();
        }
        client
            .getOutputStream()
            .write(reply.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException closed) {
      // By the client, or with the test.
    }
  }

  /** The reply to a request that is lied about, or null. */
  private @Nullable String lie(List<String> words, RawClient server) throws IOException {
    String request = Request.text(words);
    return switch (lie) {
      case NONE -> null;
      case FORGETS_WRITES ->
          words.get(0).equals("SET") && words.size() == 3 && isTurn() ? "+OK|" : null;
      case SHOWS_OLD_VALUES -> {
        if (!words.get(0).equals("GET") && !words.get(0).equals("LRANGE")) {
          yield null;
        }
        String old = oldReplies.get(request);
        if (old != null && isTurn()) {
          yield old;
        }
        String reply = server.send(request).reply();
        oldReplies.putIfAbsent(request, reply);
        yield reply;
      }
      case WRITES_TWICE ->
          words.get(0).equals("INCR") && isTurn()
              ? server.send(request + request).replies(2).replaceFirst("^[^|]*[|]", "")
              : null;
    };
  }

  private boolean isTurn() {
    boolean is = candidates.incrementAndGet() % LIES_ONE_IN == 0;
    if (is) {
      lies.incrementAndGet();
    }
    return is;
  }

  @Override
  public void close() throws IOException {
    for (AutoCloseable one : open) {
      try {
        one.close();
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }

  /** Requests as arrays of bulk strings. */
  private static final class Request {
    private Request() {}

    static List<String> read(InputStream in) throws IOException {
      String[] words = new String[number(in, '*')];
      for (int i = 0; i < words.length; i++) {
        words[i] = new String(in.readNBytes(number(in, '$')), StandardCharsets.ISO_8859_1);
        in.skipNBytes(2);
      }
      return List.of(words);
    }

    private static int number(InputStream in, char type) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          throw new EOFException("the client has gone");
        }
        line.append((char) next);
      }
      if (line.charAt(0) != type) {
        throw new IOException("not a request: " + line);
      }
      return Integer.parseInt(line.substring(1).trim());
    }

    static String text(List<String> words) {
      StringBuilder text = new StringBuilder("*" + words.size() + "|");
      for (String word : words) {
        text.append('$').append(word.length()).append('|').append(word).append('|');
      }
      return text.toString();
    }
  }
}
