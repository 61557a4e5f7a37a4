package dev.varve.server.net.background;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.parsetools.RecordParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the server that keys are carried to: requests out, replies of one line in.
 *
 * <p>Used on the event loop of its socket.
 */
final class TargetSocket {

  /** So much is sent before it looks whether the other side takes it. */
  private static final int CHUNK_BYTES = 64 << 10;

  private static final int LINE_BYTES_MAX = 4 << 10;

  /** What is under way. */
  private static final class Exchange {
    final Deque<byte[]> pieces;
    final int replies;
    final Promise<Void> promise = Promise.promise();
    final List<String> lines = new ArrayList<>();
    int offset;
    boolean isSent;

    Exchange(List<byte[]> pieces, int replies) {
      this.pieces = new ArrayDeque<>(pieces);
      this.replies = replies;
    }

    /** Whether the socket has been given all of it. */
    boolean isHandedOver() {
      byte[] last = pieces.peek();
      return last == null || (pieces.size() == 1 && offset == last.length);
    }
  }

  /**
   * What came of an exchange.
   *
   * @param lines the replies, without their ends: all of them unless it failed
   * @param problem null if it did not fail
   */
  record Answer(List<String> lines, @Nullable String problem) {}

  private final Vertx vertx;
  private final NetSocket socket;
  private final long timeoutMillis;
  private @Nullable Exchange exchange;
  private boolean isOver;
  private long timer = -1;

  /**
   * @param timeoutMillis how long the other side may give no sign of life
   */
  TargetSocket(Vertx vertx, NetSocket socket, long timeoutMillis) {
    this.vertx = vertx;
    this.socket = socket;
    this.timeoutMillis = timeoutMillis;
    RecordParser lines =
        RecordParser.newDelimited("\r\n", this::line)
            .maxRecordSize(LINE_BYTES_MAX)
            .exceptionHandler(tooLong -> fail());
    socket.handler(lines).exceptionHandler(failure -> fail()).closeHandler(closed -> fail());
  }

  /** Sends {@code pieces} and awaits so many replies. Nothing else is under way. Never fails. */
  Future<Answer> ask(List<byte[]> pieces, int replies) {
    Exchange made = new Exchange(pieces, replies);
    exchange = made;
    Future<Answer> answer =
        made.promise
            .future()
            .transform(
                result ->
                    Future.succeededFuture(
                        new Answer(made.lines, result.failed() ? problem(made) : null)));
    if (isOver) {
      fail();
    } else {
      send(made);
    }
    return answer;
  }

  void close() {
    isOver = true;
    stopTimer();
    socket.close();
  }

  private static String problem(Exchange its) {
    return "IOERR error or timeout " + (its.isSent ? "reading" : "writing") + " to target instance";
  }

  private void send(Exchange next) {
    byte[] piece = next.pieces.peek();
    while (piece != null && next.offset == piece.length) {
      next.pieces.remove();
      next.offset = 0;
      piece = next.pieces.peek();
    }
    progress();
    if (piece == null) {
      next.isSent = true;
      return;
    }
    int length = Math.min(CHUNK_BYTES, piece.length - next.offset);
    Buffer chunk = Buffer.buffer(length).appendBytes(piece, next.offset, length);
    next.offset += length;
    socket
        .write(chunk)
        .onComplete(
            written -> {
              if (written.failed()) {
                fail();
              } else if (exchange == next) {
                send(next);
              }
            });
  }

  private void line(Buffer line) {
    Exchange current = exchange;
    String text = line.toString(StandardCharsets.ISO_8859_1);
    boolean isReply = text.startsWith("+") || text.startsWith("-");
    if (current != null && current.isHandedOver()) {
      // An answer may come before the socket has told that the last of it was written.
      current.isSent = true;
    }
    if (current == null || !isReply) {
      // Not a server that this one can talk to.
      fail();
      return;
    }
    current.lines.add(text);
    progress();
    if (current.lines.size() == current.replies) {
      exchange = null;
      stopTimer();
      current.promise.complete();
    }
  }

  private void progress() {
    stopTimer();
    timer = vertx.setTimer(timeoutMillis, late -> fail());
  }

  private void stopTimer() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
  }

  private void fail() {
    close();
    Exchange its = exchange;
    exchange = null;
    if (its != null) {
      its.promise.fail("no answer");
    }
  }
}
