package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.format.DamagedValueException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LibraryDumpTest {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static List<byte[]> read(byte[] payload) {
    return Objects.requireNonNull(LibraryDump.read(payload));
  }

  /** The example of docs/formats/dump.md. */
  @Test
  void goldenBytes() {
    byte[] payload = LibraryDump.write(List.of(bytes("#!lua name=a\n")));
    assertEquals(
        "f50d23216c7561206e616d653d610a" + "0a00" + "492fe7fe0ba15c43",
        HexFormat.of().formatHex(payload));
  }

  @Test
  void librariesComeBack() {
    List<byte[]> codes = List.of(bytes("#!lua name=a\n\0x"), bytes("#!lua name=b\n"));
    List<byte[]> read = read(LibraryDump.write(codes));
    assertEquals(2, read.size());
    assertArrayEquals(codes.get(0), read.get(0));
    assertArrayEquals(codes.get(1), read.get(1));
    assertEquals(List.of(), read(LibraryDump.write(List.of())));
  }

  @Test
  void librariesInPartsGetTheirFirstLine() {
    DumpOutput output = new DumpOutput();
    output.bytes(new byte[] {(byte) 246});
    output.string(bytes("lib"));
    output.string(bytes("LUA"));
    output.length(1);
    output.string(bytes("what it does"));
    output.string(bytes("return 1"));
    List<byte[]> read = read(output.finish());
    assertArrayEquals(bytes("#!LUA name=lib\nreturn 1"), read.get(0));
  }

  @Test
  void otherPayloadsAreRefused() {
    DumpOutput string = new DumpOutput();
    string.type(DumpFormat.STRING);
    string.string(bytes("hi"));
    assertNull(LibraryDump.read(string.finish()));
    DumpOutput cut = new DumpOutput();
    cut.bytes(new byte[] {(byte) 245});
    cut.length(5);
    assertThrows(DamagedValueException.class, () -> LibraryDump.read(cut.finish()));
  }
}
