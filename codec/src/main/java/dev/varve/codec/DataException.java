package dev.varve.codec;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What the client asks cannot be done with the data as it is: carries the whole error reply.
 *
 * <p>Thrown before anything is written, so that a transaction goes on with its next command. All
 * instances are constants without a stack trace: throwing one costs next to nothing.
 */
public final class DataException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public static final DataException WRONG_TYPE =
      new DataException("WRONGTYPE Operation against a key holding the wrong kind of value");
  public static final DataException NO_SUCH_KEY = new DataException("ERR no such key");
  public static final DataException NOT_AN_INTEGER =
      new DataException("ERR value is not an integer or out of range");
  public static final DataException NOT_A_FLOAT =
      new DataException("ERR value is not a valid float");

  private transient byte @Nullable [] bytes;

  /** One more kind of refusal: make it a constant of the class that throws it. */
  public DataException(String error) {
    super(error, null, false, false);
  }

  /** As the other one, for an error that quotes names, which may be any bytes. */
  public static DataException quoting(Object... parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (Object part : parts) {
      if (part instanceof byte[] name) {
        int end = 0;
        while (end < name.length && name[end] != 0) {
          end++;
        }
        // Like Redis, not beyond the first zero byte.
        bytes.write(name, 0, end);
      } else {
        bytes.writeBytes(part.toString().getBytes(StandardCharsets.UTF_8));
      }
    }
    DataException exception = new DataException(bytes.toString(StandardCharsets.UTF_8));
    exception.bytes = bytes.toByteArray();
    return exception;
  }

  /** The error reply as it goes over the wire, from its code on, without the leading '-'. */
  public byte[] errorBytes() {
    return bytes == null ? error().getBytes(StandardCharsets.UTF_8) : bytes;
  }

  /** The error reply, from its code on, without the leading '-'. */
  public String error() {
    return String.valueOf(getMessage());
  }
}
