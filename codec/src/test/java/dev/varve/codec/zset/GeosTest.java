package dev.varve.codec.zset;

import static dev.varve.codec.Keyspace.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.codec.Keyspace;
import dev.varve.codec.geo.GeoPoint;
import dev.varve.codec.geo.GeoShape;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a search for places keeps in memory. */
class GeosTest {
  private static final byte[] KEY = bytes("places");
  private static final int PLACES = 5_000;
  private static final GeoShape EARTH = GeoShape.circle(new GeoPoint(10, 20), 30_000_000);

  private final Keyspace keyspace = new Keyspace();

  @BeforeEach
  void fill() {
    SplittableRandom random = new SplittableRandom(1);
    double[] scores = new double[PLACES];
    List<byte[]> members = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      // Some places are those of several members.
      double longitude = random.nextInt(-170, 170);
      scores[i] = Geos.score(new GeoPoint(longitude, random.nextInt(-80, 80) / 8 * 8));
      members.add(bytes("member" + i));
    }
    keyspace.apply(
        tx ->
            ZSets.add(tx, 0, KEY, new ZAddCondition(false, false, false, false), scores, members));
  }

  private long bytesMax(Geos.Order order, long count, List<Geos.Found> found) {
    try (RoomyView view = new RoomyView(keyspace.store.view())) {
      found.addAll(Geos.search(keyspace.transaction(view), 0, KEY, EARTH, order, count, false));
      return view.bytesMax;
    }
  }

  @Test
  void aSearchHasRoomForAllThatItFinds() {
    List<Geos.Found> found = new ArrayList<>();

    assertTrue(bytesMax(Geos.Order.NONE, 0, found) > 100 * PLACES);

    assertEquals(PLACES, found.size());
  }

  @Test
  void aSearchForTheFirstOnesKeepsFewOthers() {
    for (Geos.Order order : List.of(Geos.Order.NEAREST_FIRST, Geos.Order.FARTHEST_FIRST)) {
      List<Geos.Found> all = new ArrayList<>();
      bytesMax(order, 0, all);
      List<Geos.Found> first = new ArrayList<>();

      assertTrue(bytesMax(order, 700, first) < 100 * PLACES);

      assertEquals(all.subList(0, 700), first);
    }
  }
}
