package dev.varve.codec.stream;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.varve.codec.Keys;
import dev.varve.codec.Keyspace;
import dev.varve.codec.KeyspaceCheck;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.format.StreamId;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamsTest {
  private static final byte[] KEY = bytes("car");
  private static final byte[] GROUP = bytes("g");
  private static final byte[] CONSUMER = bytes("me");
  private final Keyspace keyspace = new Keyspace();

  private void add(long millis, long sequence, String... items) {
    List<byte[]> its = new ArrayList<>();
    for (String item : items) {
      its.add(bytes(item));
    }
    Streams.NewId id = new Streams.NewId(millis, sequence, false, false);
    keyspace.apply(t -> Streams.add(t, 0, KEY, id, its, true, null));
  }

  private List<String> stored(byte... tags) {
    List<String> entries = new ArrayList<>();
    for (byte tag : tags) {
      for (byte[] stored : keyspace.stored(tag)) {
        byte[] value = keyspace.storedValue(stored);
        assertNotNull(value);
        entries.add(HexFormat.of().formatHex(stored) + " " + HexFormat.of().formatHex(value));
      }
    }
    return entries;
  }

  /** The example of docs/formats/streams.md. */
  @Test
  void goldenBytes() {
    add(5, 1, "speed", "9");
    keyspace.apply(t -> StreamGroups.create(t, 0, KEY, GROUP, StreamId.MIN, -1, false));
    keyspace.number(
        t -> StreamGroups.readNew(t, 0, KEY, GROUP, CONSUMER, 0, false, (id, items) -> {}));
    String start = "00000000000000036361720000000000000001";
    assertEquals(
        List.of(
            "63"
                + start
                + "67"
                + " 00000000000000050000000000000001"
                + "0000000000000001"
                + "0000000000000001"
                + "0000000000000001"
                + "00000000000000050000000000000001",
            "6b"
                + start
                + "00000001676d65"
                + " 8000018bcfe56800"
                + "0000000000000001"
                + "00000000000000050000000000000001",
            "70"
                + start
                + "0000000167"
                + "00000000000000050000000000000001"
                + " 8000018bcfe56800"
                + "0000000000000001"
                + "6d65",
            "71" + start + "0000000167" + "000000026d65" + "00000000000000050000000000000001" + " ",
            "78"
                + start
                + "00000000000000050000000000000001"
                + " 01"
                + "02"
                + "057370656564"
                + "0139"),
        stored(
            KeyFormat.GROUP,
            KeyFormat.CONSUMER,
            KeyFormat.PENDING,
            KeyFormat.OWNED,
            KeyFormat.ENTRY));
    byte[] meta = keyspace.storedValue(KeyFormat.meta(0, KEY));
    assertNotNull(meta);
    assertEquals(
        "1602"
            + "0000000000000001"
            + "0000000000000001"
            + "0000000000000074"
            + "00000000000000050000000000000001"
            + "00000000000000050000000000000001"
            + "00000000000000000000000000000000"
            + "0000000000000001"
            + "0000000000000004"
            + "0000000000000001"
            + "0000000000000001"
            + "0000000000000014",
        HexFormat.of().formatHex(meta));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void deletingAStreamIsOneRecordAndTheMeta() {
    for (int i = 1; i < 500; i++) {
      add(i, 0, "field", "value");
    }
    keyspace.apply(t -> StreamGroups.create(t, 0, KEY, GROUP, StreamId.MIN, -1, false));
    keyspace.number(
        t -> StreamGroups.readNew(t, 0, KEY, GROUP, CONSUMER, 0, false, (id, items) -> {}));
    KeyspaceCheck.assertConsistent(keyspace);
    long writes =
        keyspace.number(
            t -> {
              Keys.delete(t, 0, KEY);
              return t.batch().writeCount();
            });
    assertEquals(2, writes);
    KeyspaceCheck.assertConsistent(keyspace);
    add(1, 0, "a", "b");
    assertEquals(1, keyspace.number(t -> Streams.length(t, 0, KEY)));
    KeyspaceCheck.assertConsistent(keyspace);
  }

  @Test
  void anEntryRemembersTheIdOfTheLastOneDeletedBehindIt() {
    add(5, 1, "speed", "9");
    add(6, 1, "speed", "10");
    add(7, 1, "speed", "11");
    for (long millis : new long[] {7, 6}) {
      List<StreamId> ids = List.of(new StreamId(millis, 1));
      keyspace.apply(t -> Streams.delete(t, 0, KEY, ids));
    }
    List<String> stored = stored(KeyFormat.ENTRY);
    assertEquals(1, stored.size());
    assertEquals(
        "03" + "00000000000000070000000000000001" + "02" + "057370656564" + "0139",
        stored.get(0).substring(stored.get(0).indexOf(' ') + 1));
    KeyspaceCheck.assertConsistent(keyspace);
    List<String> items = new ArrayList<>();
    keyspace.apply(
        t ->
            Streams.walk(
                t,
                0,
                KEY,
                StreamId.MIN,
                StreamId.MAX,
                false,
                (id, its) -> {
                  for (int place = its.first(); place < its.end(); place = its.next(place)) {
                    items.add(Keyspace.text(its.item(place, 0).toBytes()));
                  }
                  return true;
                }));
    assertEquals(List.of("speed", "9"), items);
  }

  @Test
  void idsAreReadAndWrittenWithoutASign() {
    assertEquals(
        StreamId.MAX, StreamId.parse(bytes("18446744073709551615-18446744073709551615"), 0, 0));
    assertEquals("18446744073709551615-0", new StreamId(-1, 0).toString());
    for (String wrong :
        List.of("", "-", "1-", "-1", "1-1-1", "a", "18446744073709551616", "1 -1")) {
      assertEquals(null, StreamId.parse(bytes(wrong), 0, 0), wrong);
    }
    assertEquals(new StreamId(7, 9), StreamId.parse(bytes("(7"), 1, 9));
    assertEquals(new StreamId(1, 2), StreamId.parse(bytes("\t+1- 2"), 0, 0));
    assertEquals(new StreamId(8, 0), new StreamId(7, -1).next());
    assertEquals(new StreamId(6, -1), new StreamId(7, 0).previous());
  }
}
