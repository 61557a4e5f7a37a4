package dev.varve.server.net.follow;

import dev.varve.codec.dump.RdbImport;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Finds the end of all data in what comes from a master: it says before how many bytes that has, or
 * which forty bytes are behind it, since it makes it on the way.
 *
 * <p>Used by one thread.
 */
final class DumpFrame {
  private static final int MARK_BYTES = 40;
  private static final String MARKED = "$EOF:";

  private final long length;

  /** What is behind the data; empty if the length is known. */
  private final byte[] mark;

  /** The last bytes that have come, which may be the mark. */
  private byte[] last = new byte[0];

  private long takenBytes;

  /**
   * @param header the line before it, without its end
   * @throws IOException where that is something else
   */
  DumpFrame(String header) throws IOException {
    if (header.startsWith(MARKED) && header.length() == MARKED.length() + MARK_BYTES) {
      mark = header.substring(MARKED.length()).getBytes(StandardCharsets.ISO_8859_1);
      length = RdbImport.TO_ITS_END;
    } else if (header.matches("\\$\\d{1,18}")) {
      mark = new byte[0];
      length = Long.parseLong(header.substring(1));
    } else {
      throw new IOException("no data, but '" + header + "'");
    }
  }

  /** How many bytes it has, or {@link RdbImport#TO_ITS_END}. */
  long length() {
    return length;
  }

  /** How many of them have come. */
  long takenBytes() {
    return takenBytes;
  }

  /**
   * Hands on what is of the data.
   *
   * @return whether that was its end: what is left in {@code in} is behind it
   */
  boolean take(ByteBuf in, Consumer<byte[]> target) {
    if (mark.length > 0) {
      return takeToMark(in, target);
    }
    byte[] piece = new byte[(int) Math.min(in.readableBytes(), length - takenBytes)];
    in.readBytes(piece);
    hand(piece, target);
    return takenBytes == length;
  }

  private boolean takeToMark(ByteBuf in, Consumer<byte[]> target) {
    byte[] all = Arrays.copyOf(last, last.length + in.readableBytes());
    in.readBytes(all, last.length, in.readableBytes());
    int end = Math.max(0, all.length - MARK_BYTES);
    last = Arrays.copyOfRange(all, end, all.length);
    hand(Arrays.copyOf(all, end), target);
    // A master sends nothing behind it before it is told that all has come.
    return Arrays.equals(last, mark);
  }

  private void hand(byte[] piece, Consumer<byte[]> target) {
    takenBytes += piece.length;
    if (piece.length > 0) {
      target.accept(piece);
    }
  }
}
