package dev.varve.codec.string;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** The bytes of a string as whoever hands it on gets them. */
public final class StringBytes {
  private StringBytes() {}

  /** All of them; null of null. */
  public static byte @Nullable [] of(@Nullable StringRange range) {
    if (range == null) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    range.writeTo(
        new StringRange.Sink() {
          @Override
          public void bytes(byte[] array, int offset, int length) {
            bytes.write(array, offset, length);
          }

          @Override
          public void zeroes(int count) {
            bytes.write(new byte[count], 0, count);
          }
        });
    return bytes.toByteArray();
  }
}
