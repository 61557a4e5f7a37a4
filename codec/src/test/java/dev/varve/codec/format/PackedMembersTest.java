package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
          members = stored(random, type, members);
        }
        assertSame(model, type, members, seed);
      }
    }
  }

  /** The same members, as they are read from where they were written to. */
  private static PackedMembers stored(
      SplittableRandom random, ValueType type, PackedMembers members) {
    int before = random.nextInt(1, 4);
    byte[] value = members.toValue(before);
    int from = random.nextInt(3);
    byte[] array = new byte[from + value.length + random.nextInt(3)];
    random.nextBytes(array);
    System.arraycopy(value, 0, array, from, value.length);
    PackedMembers its = PackedMembers.in(type, array, from, from + before, from + value.length);
    its.check();
    return its;
  }

  private static void edit(
      SplittableRandom random, ValueType type, PackedMembers members, List<byte[][]> model) {
    byte[][] entry = {item(random), item(random)};
    int index = random.nextInt(model.size() + 1);
    int place = members.place(index);
    switch (random.nextInt(index == model.size() ? 1 : type == ValueType.HASH ? 5 : 4)) {
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
      case 3 -> {
        int end = index + random.nextInt(model.size() - index + 1);
        members.remove(place, members.place(end));
        model.subList(index, end).clear();
      }
      default -> {
        int to = random.nextInt(model.size() + 1);
        byte[] second = new byte[model.get(index)[1].length];
        random.nextBytes(second);
        members.move(place, members.place(to), second);
        byte[] first = model.remove(index)[0];
        model.add(to > index ? to - 1 : to, new byte[][] {first, second});
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
  void oneEditOfAValueIsTheNextValueWithoutACopy() {
    PackedMembers members = PackedMembers.empty(ValueType.SET);
    members.append(new byte[] {1});
    members.append(new byte[] {2});
    byte[] value = members.toValue(2);
    PackedMembers read = PackedMembers.in(ValueType.SET, value, 0, 2, value.length);
    read.remove(read.first());
    byte[] next = read.toValue(2);
    assertArrayEquals(new byte[] {0, 0, 1, 1, 2}, next);
    read.append(new byte[] {3});
    assertArrayEquals(new byte[] {0, 0, 1, 1, 2}, next, "it is another's");
    assertArrayEquals(new byte[] {0, 2, 1, 2, 1, 3}, read.toValue(1));
  }

  @Test
  void whoComesAcrossDamageIsTold() {
    PackedMembers members = PackedMembers.empty(ValueType.HASH);
    members.append(new byte[] {'a'}, new byte[200]);
    members.append(new byte[] {'b'}, new byte[3]);
    byte[] stored = encode(members);
    SplittableRandom random = new SplittableRandom(4);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = stored.clone();
      damaged[random.nextInt(5) == 0 ? 0 : random.nextInt(5)] = (byte) random.nextInt(256);
      int end = random.nextInt(2) == 0 ? stored.length : random.nextInt(stored.length);
      boolean isWhole = false;
      try {
        PackedMembers read = PackedMembers.in(ValueType.HASH, damaged, 0, 0, end);
        isWhole = isWhole(read);
        read.find(new byte[] {'c'});
        for (int place : read.places()) {
          read.item(place, 1);
          read.itemBytes(place, 0);
          read.itemEquals(place, 0, new byte[1]);
          read.compareItem(place, 1, new byte[200]);
        }
        read.itemBytes();
        read.remove(read.first(), read.end());
      } catch (DamagedValueException told) {
        assertFalse(isWhole, "seed 4, damage " + i);
      }
    }
  }

  private static boolean isWhole(PackedMembers members) {
    try {
      members.check();
      return true;
    } catch (DamagedValueException told) {
      return false;
    }
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
