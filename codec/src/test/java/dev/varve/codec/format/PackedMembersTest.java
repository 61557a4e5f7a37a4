package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PackedMembersTest {

  /** The example of docs/formats/values.md. */
  @Test
  void goldenBytes() {
    PackedMembers members = PackedMembers.empty(ValueType.HASH);
    members.append(new byte[] {'r', 'e', 'd'}, new byte[] {'1', '2'});
    members.append(new byte[] {}, new byte[130]);
    assertEquals(
        "04" + "03726564" + "023132" + "00" + "8201" + "00".repeat(130),
        HexFormat.of().formatHex(encode(members)));
  }

  @Test
  void editsDoWhatAListWouldDo() {
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ValueType type = random.nextBoolean() ? ValueType.HASH : ValueType.LIST;
      PackedMembers members = PackedMembers.empty(type);
      List<byte[][]> model = new ArrayList<>();
      for (int step = 0; step < 100; step++) {
        edit(random, type, members, model);
        if (random.nextInt(4) == 0) {
          byte[] stored = new byte[5 + members.encodedBytes()];
          members.write(stored, 5);
          members = PackedMembers.read(type, stored, 5);
        }
        assertSame(model, type, members, seed);
      }
    }
  }

  private static void edit(
      SplittableRandom random, ValueType type, PackedMembers members, List<byte[][]> model) {
    byte[][] entry = {item(random), item(random)};
    int index = random.nextInt(model.size() + 1);
    int place = members.place(index);
    switch (random.nextInt(index < model.size() ? 4 : 1)) {
      case 0 -> {
        model.add(index, entry);
        if (type == ValueType.HASH) {
          members.insert(place, entry[0], entry[1]);
        } else {
          members.insert(place, entry[0]);
        }
      }
      case 1 -> {
        model.remove(index);
        members.remove(place);
      }
      case 2 -> {
        int which = random.nextInt(type.itemsPerEntry());
        model.set(index, model.get(index).clone());
        model.get(index)[which] = entry[which];
        members.replace(place, which, entry[which]);
      }
      default -> {
        int end = index + random.nextInt(model.size() - index + 1);
        members.remove(place, members.place(end));
        model.subList(index, end).clear();
      }
    }
  }

  private static byte[] item(SplittableRandom random) {
    byte[] item = new byte[random.nextInt(random.nextInt(10) == 0 ? 300 : 4)];
    random.nextBytes(item);
    return item;
  }

  private static void assertSame(
      List<byte[][]> model, ValueType type, PackedMembers members, int seed) {
    assertEquals(model.size(), members.size(), "seed " + seed);
    int bytes = 0;
    int at = members.first();
    int[] places = members.places();
    for (int i = 0; i < places.length; i++) {
      assertEquals(places[i], at);
      for (int which = 0; which < type.itemsPerEntry(); which++) {
        byte[] expected = model.get(i)[which];
        assertArrayEquals(expected, members.itemBytes(at, which), "seed " + seed);
        assertArrayEquals(expected, members.item(at, which).toBytes());
        assertEquals(expected.length, members.itemLength(at, which));
        assertEquals(0, members.compareItem(at, which, expected));
        bytes += expected.length;
      }
      byte[] key = model.get(i)[0];
      int first = 0;
      while (!Arrays.equals(model.get(first)[0], key)) {
        first++;
      }
      assertEquals(places[first], members.find(key));
      at = members.next(at);
    }
    assertEquals(members.end(), at);
    assertEquals(bytes, members.itemBytes());
    assertEquals(-1, members.find(new byte[400]));
  }

  @Test
  void readingNeverChangesTheArrayItReadFrom() {
    PackedMembers members = PackedMembers.empty(ValueType.SET);
    members.append(new byte[] {1});
    members.append(new byte[] {2});
    byte[] stored = encode(members);
    byte[] before = stored.clone();
    PackedMembers read = PackedMembers.read(ValueType.SET, stored, 0);
    read.remove(read.first());
    read.append(new byte[] {3});
    assertArrayEquals(before, stored);
  }

  @Test
  void damagedBytesAreRefused() {
    PackedMembers members = PackedMembers.empty(ValueType.HASH);
    members.append(new byte[] {'a'}, new byte[200]);
    byte[] stored = encode(members);
    for (int length = 0; length < stored.length; length++) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertThrows(DamagedValueException.class, () -> PackedMembers.read(ValueType.HASH, cut, 0));
    }
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 20_000; i++) {
      byte[] hostile = new byte[random.nextInt(12)];
      random.nextBytes(hostile);
      try {
        PackedMembers read = PackedMembers.read(ValueType.SET, hostile, 0);
        assertArrayEquals(hostile, encode(read));
      } catch (DamagedValueException expected) {
        continue;
      }
    }
  }

  private static byte[] encode(PackedMembers members) {
    byte[] stored = new byte[members.encodedBytes()];
    members.write(stored, 0);
    return stored;
  }
}
