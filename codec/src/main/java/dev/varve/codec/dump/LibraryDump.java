package dev.varve.codec.dump;

import dev.varve.codec.format.DamagedValueException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Libraries of functions in the format of Redis: what FUNCTION DUMP gives and FUNCTION RESTORE
 * takes.
 *
 * <p>Pure functions, for any thread.
 */
final class LibraryDump {
  private LibraryDump() {}

  /**
   * A payload of libraries.
   *
   * @param codes of each all of its code, first line included
   */
  public static byte[] write(List<byte[]> codes) {
    DumpOutput output = new DumpOutput();
    for (byte[] code : codes) {
      output.code(DumpFormat.LIBRARY);
      output.string(code);
    }
    return output.finish();
  }

  /**
   * The codes in a payload that {@link DumpReader#isIntact}; null when it holds something else than
   * libraries.
   *
   * @throws DamagedValueException when the bytes do not say what they should
   */
  public static @Nullable List<byte[]> read(byte[] payload) {
    DumpInput input = new DumpInput(payload, 0, payload.length - DumpFormat.FOOTER_BYTES);
    List<byte[]> codes = new ArrayList<>();
    while (!input.isAtEnd()) {
      int code = input.unsignedByte();
      if (code != DumpFormat.LIBRARY && code != DumpFormat.LIBRARY_IN_PARTS) {
        return null;
      }
      codes.add(code(code, input));
    }
    return codes;
  }

  /** The code of the library behind one of these two. */
  static byte[] code(int code, DumpInput input) {
    return code == DumpFormat.LIBRARY ? input.string() : fromParts(input);
  }

  /** As release candidates of Redis 7.0 wrote it; the description goes. */
  private static byte[] fromParts(DumpInput input) {
    byte[] name = input.string();
    byte[] engine = input.string();
    if (input.length() != 0) {
      input.string();
    }
    byte[] code = input.string();
    String header = "#!" + latin(engine) + " name=" + latin(name) + "\n";
    return (header + latin(code)).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String latin(byte[] text) {
    return new String(text, StandardCharsets.ISO_8859_1);
  }
}
