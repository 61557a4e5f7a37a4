package dev.varve.codec.dump;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.ExpireCondition;
import dev.varve.codec.Glob;
import dev.varve.codec.KeyWalk;
import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.list.ListEnd;
import dev.varve.codec.list.Lists;
import dev.varve.codec.member.HashExpiry;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.member.Sets;
import dev.varve.codec.store.StoreView;
import dev.varve.codec.string.Strings;
import dev.varve.codec.zset.ZAddCondition;
import dev.varve.codec.zset.ZSets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RdbExportTest {
  private static final Glob ALL = new Glob(bytes("*"));
  private static final int LARGE = 20_000;

  private final Keyspace keyspace = new Keyspace();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private byte[] export(byte[]... libraries) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    List<Long> told = new ArrayList<>();
    try (StoreView view = keyspace.store.view()) {
      long keys =
          RdbExport.write(file, List.of(libraries), () -> keyspace.transaction(view), told::add);
      assertEquals(told.size(), keys);
    }
    return file.toByteArray();
  }

  private static List<String> importTo(Keyspace target, byte[] file) throws IOException {
    List<String> libraries = new ArrayList<>();
    new RdbImport(new ByteArrayInputStream(file), file.length, 16)
        .run(
            new RdbImport.Target() {
              @Override
              public void write(RdbImport.Change change) {
                target.apply(change::run);
                change.applied();
              }

              @Override
              public void library(byte[] code) {
                libraries.add(new String(code, StandardCharsets.ISO_8859_1));
              }

              @Override
              public void finish() {}
            });
    return libraries;
  }

  /** Each key with when it expires and what it holds. */
  private static Map<String, String> content(Keyspace its) {
    Map<String, String> content = new TreeMap<>();
    for (int database = 0; database < 16; database++) {
      int of = database;
      List<byte[]> keys = new ArrayList<>();
      its.apply(each -> KeyWalk.all(each, of, ALL, keys::add));
      for (byte[] key : keys) {
        byte[] payload = its.run(each -> Dumps.dump(each, of, key));
        assertNotNull(payload);
        content.put(
            of + " " + new String(key, StandardCharsets.ISO_8859_1),
            its.held(of, key).expiryMillis() + " " + HexFormat.of().formatHex(payload));
      }
    }
    return content;
  }

  private void fill() {
    long soon = keyspace.nowMillis + 1000;
    keyspace.apply(
        each -> {
          Strings.set(each, 0, bytes("string"), bytes("value"));
          Strings.set(each, 0, bytes(""), bytes(""));
          Strings.set(each, 0, bytes("long"), new byte[300_000]);
          Strings.set(each, 0, bytes("gone"), bytes("value"));
          Strings.set(each, 0, bytes("later"), bytes("value"));
          Strings.set(each, 5, bytes("elsewhere"), bytes("value"));
          Lists.push(each, 0, bytes("list"), ListEnd.TAIL, bytes("a"), bytes("b"));
        });
    for (int first = 0; first < LARGE; first += 100) {
      byte[][] members = new byte[100][];
      byte[][] fields = new byte[200][];
      double[] scores = new double[100];
      for (int i = 0; i < 100; i++) {
        members[i] = bytes("member:" + (first + i));
        fields[2 * i] = members[i];
        fields[2 * i + 1] = bytes("value:" + i);
        scores[i] = first - i / 7.0;
      }
      keyspace.apply(
          each -> {
            Lists.push(each, 0, bytes("largelist"), ListEnd.HEAD, members);
            Sets.add(each, 0, bytes("largeset"), members);
            Hashes.set(each, 0, bytes("largehash"), fields);
            Hashes.set(each, 0, bytes("expiring"), fields);
            ZSets.add(each, 0, bytes("largezset"), ZAddCondition.NONE, scores, List.of(members));
          });
    }
    keyspace.apply(
        each -> {
          HashExpiry.expireAt(
              each,
              0,
              bytes("expiring"),
              soon,
              ExpireCondition.ALWAYS,
              List.of(bytes("member:1"), bytes("member:2")));
          HashExpiry.expireAt(
              each,
              0,
              bytes("expiring"),
              soon + 1_000_000,
              ExpireCondition.ALWAYS,
              List.of(bytes("member:3")));
          Keys.expireAt(each, 0, bytes("gone"), soon, ExpireCondition.ALWAYS);
          Keys.expireAt(each, 0, bytes("later"), soon + 1_000_000, ExpireCondition.ALWAYS);
        });
    keyspace.nowMillis = soon;
  }

  @Test
  void whatIsExportedIsImportedAsItWas() throws IOException {
    fill();
    byte[] file = export(bytes("#!lua name=one\n"), bytes("#!lua name=two\n"));
    Keyspace target = new Keyspace();
    target.nowMillis = keyspace.nowMillis;
    assertEquals(List.of("#!lua name=one\n", "#!lua name=two\n"), importTo(target, file));
    Map<String, String> expected = content(keyspace);
    Map<String, String> found = content(target);
    assertEquals(11, expected.size());
    assertEquals(expected.keySet(), found.keySet());
    // Their members come in an order of their version.
    for (String key : List.of("0 largeset", "0 largehash", "0 expiring")) {
      assertEquals(
          String.valueOf(expected.remove(key)).length(),
          String.valueOf(found.remove(key)).length(),
          key);
    }
    assertEquals(expected, found);
    assertArrayEquals(
        new long[] {-2, -2, keyspace.nowMillis + 1_000_000, -1},
        target.run(
            each ->
                HashExpiry.expiryMillis(
                    each,
                    0,
                    bytes("expiring"),
                    List.of(
                        bytes("member:1"),
                        bytes("member:2"),
                        bytes("member:3"),
                        bytes("member:4")))));
  }

  @Test
  void aFileOfNothingIsAFileAllTheSame() throws IOException {
    byte[] file = export();
    assertEquals("REDIS0010", new String(file, 0, 9, StandardCharsets.US_ASCII));
    assertEquals(18, file.length);
    Keyspace target = new Keyspace();
    importTo(target, file);
    assertEquals(Map.of(), content(target));
  }

  @Test
  void whatCannotBeWrittenEndsIt() {
    fill();
    IOException full = new IOException("no space in the test");
    OutputStream file =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw full;
          }
        };
    try (StoreView view = keyspace.store.view()) {
      assertEquals(
          full,
          assertThrows(
              IOException.class,
              () ->
                  RdbExport.write(file, List.of(), () -> keyspace.transaction(view), keys -> {})));
    }
  }
}
