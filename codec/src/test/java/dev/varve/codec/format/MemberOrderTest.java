package dev.varve.codec.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemberOrderTest {
  private static final CollectionKeys KEYS = new CollectionKeys(0, new byte[] {'k'}, 7);

  @Test
  void manyComeInTheOrderOfTheirKeysAndEqualOnesAsTheyAreNamed() {
    for (int seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<byte[]> members = new ArrayList<>();
      int count = 100 + random.nextInt(200);
      for (int i = 0; i < count; i++) {
        members.add(member(random.nextInt(150)));
      }
      MemberOrder order = MemberOrder.of(count, members::get);
      assertEquals(
          IntStream.range(0, count)
              .boxed()
              .sorted((a, b) -> Arrays.compareUnsigned(key(members, a), key(members, b)))
              .toList(),
          IntStream.range(0, count).map(order::at).boxed().toList(),
          "seed " + seed);
      assertEquals(
          members.stream().map(Arrays::hashCode).distinct().count(),
          order.differentMin(),
          "seed " + seed);
    }
  }

  @Test
  void fewComeAsTheyAreNamed() {
    List<byte[]> members = IntStream.range(0, 31).mapToObj(MemberOrderTest::member).toList();
    MemberOrder order = MemberOrder.of(members.size(), members::get);
    for (int i = 0; i < members.size(); i++) {
      assertEquals(i, order.at(i));
    }
    assertEquals(0, order.differentMin(), "not looked at");
  }

  @Test
  void membersOfOneHashCountAsOne() {
    byte[] one = member(0);
    MemberOrder order = MemberOrder.of(500, number -> one);
    assertEquals(1, order.differentMin());
    assertEquals(499, order.at(499));
  }

  private static byte[] key(List<byte[]> members, int number) {
    return KEYS.member(members.get(number));
  }

  private static byte[] member(int number) {
    return ("member:" + number).getBytes(StandardCharsets.US_ASCII);
  }
}
