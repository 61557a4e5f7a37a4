package dev.varve.server.model;

import dev.varve.server.model.Entry.Scores;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The commands of places, for keys that hold nothing else: sorted sets whose scores are 26 bits of
 * the longitude and of the latitude in turns.
 */
final class ModelPlaces {
  private static final int BITS = 26;
  private static final double LATITUDE_MAX = 85.05112878;
  private static final double EARTH_METERS = 6372797.560856;
  private static final int DECIMALS = 17;

  private ModelPlaces() {}

  /** Where something is, in degrees. */
  private record Place(double longitude, double latitude) {

    static Place ofScore(double score) {
      long bits = (long) score;
      return new Place(middle(bits >> 1, 180), middle(bits, LATITUDE_MAX));
    }

    double score() {
      return spread(cell(longitude, 180)) << 1 | spread(cell(latitude, LATITUDE_MAX));
    }

    private static long cell(double degrees, double most) {
      return (long) ((degrees + most) / (2 * most) * (1L << BITS));
    }

    private static long spread(long cell) {
      long spread = 0;
      for (int bit = 0; bit < BITS; bit++) {
        spread |= (cell >> bit & 1) << 2 * bit;
      }
      return spread;
    }

    private static double middle(long bits, double most) {
      long cell = 0;
      for (int bit = 0; bit < BITS; bit++) {
        cell |= (bits >> 2 * bit & 1) << bit;
      }
      double low = -most + cell / (double) (1L << BITS) * (2 * most);
      double high = -most + (cell + 1) / (double) (1L << BITS) * (2 * most);
      return Math.max(-most, Math.min(most, (low + high) / 2));
    }

    /** By the haversine formula. */
    double meters(Place other) {
      double from = Math.toRadians(latitude);
      double to = Math.toRadians(other.latitude);
      double across = Math.sin(Math.toRadians(other.longitude - longitude) / 2);
      double along = Math.sin((to - from) / 2);
      double square = along * along + Math.cos(from) * Math.cos(to) * across * across;
      return 2 * EARTH_METERS * Math.asin(Math.sqrt(square));
    }
  }

  static void register(Map<String, ModelCommand> commands) {
    commands.put("GEOADD", ModelPlaces::add);
    commands.put("GEOPOS", ModelPlaces::positions);
    commands.put("GEODIST", ModelPlaces::distance);
    commands.put("GEOSEARCH", ModelPlaces::search);
    commands.put("GEOSEARCHSTORE", ModelPlaces::store);
  }

  private static Scores scores(Call call, int keyAt) {
    Scores found = call.value(call.arg(keyAt), Scores.class);
    return found == null ? new Scores() : found;
  }

  private static @Nullable Place place(Scores scores, String member) {
    Double score = scores.get(member);
    return score == null ? null : Place.ofScore(score);
  }

  /** GEOADD key longitude latitude member … */
  private static String add(Call call) {
    Scores scores = call.valueOrNew(call.arg(1), Scores.class, Scores::new);
    long added = 0;
    boolean isChanged = false;
    for (int i = 2; i < call.count(); i += 3) {
      Place place = new Place(Double.parseDouble(call.arg(i)), Double.parseDouble(call.arg(i + 1)));
      Double before = scores.put(call.arg(i + 2), place.score());
      added += before == null ? 1 : 0;
      isChanged |= before == null || before != place.score();
    }
    if (isChanged) {
      call.changed(call.arg(1));
    }
    return Wire.integer(added);
  }

  private static String degrees(double degrees) {
    return new BigDecimal(degrees)
        .setScale(DECIMALS, RoundingMode.HALF_EVEN)
        .stripTrailingZeros()
        .toPlainString();
  }

  private static String positions(Call call) {
    Scores scores = scores(call, 1);
    List<String> replies = new ArrayList<>();
    for (String member : call.from(2)) {
      Place place = place(scores, member);
      replies.add(
          place == null
              ? Wire.NULL_ARRAY
              : Wire.bulks(List.of(degrees(place.longitude()), degrees(place.latitude()))));
    }
    return Wire.array(replies);
  }

  /** GEODIST key member member m. */
  private static String distance(Call call) {
    Scores scores = scores(call, 1);
    Place from = place(scores, call.arg(2));
    Place to = place(scores, call.arg(3));
    return from == null || to == null
        ? Wire.NULL
        : Wire.bulk(String.format(Locale.ROOT, "%.4f", from.meters(to)));
  }

  /** Those within so many km of a member, the nearest first. */
  private static List<String> around(Scores scores, String center, double km) {
    Place from = place(scores, center);
    if (from == null) {
      throw new ModelError("ERR could not decode requested zset member");
    }
    Map<String, Double> near = new TreeMap<>();
    scores.forEach(
        (member, score) -> {
          double meters = from.meters(Place.ofScore(score));
          if (meters <= 1000 * km) {
            near.put(member, meters);
          }
        });
    return near.entrySet().stream()
        .sorted(Comparator.comparing(Map.Entry::getValue))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** GEOSEARCH key FROMMEMBER member BYRADIUS n km ASC. */
  private static String search(Call call) {
    Scores scores = scores(call, 1);
    return scores.isEmpty()
        ? Wire.EMPTY_ARRAY
        : Wire.bulks(around(scores, call.arg(3), call.integer(5)));
  }

  /** GEOSEARCHSTORE target key FROMMEMBER member BYRADIUS n km. */
  private static String store(Call call) {
    Scores scores = scores(call, 2);
    Scores stored = new Scores();
    if (!scores.isEmpty()) {
      around(scores, call.arg(4), call.integer(6))
          .forEach(member -> stored.put(member, scores.get(member)));
    }
    call.store(call.arg(1), stored);
    return Wire.integer(stored.size());
  }
}
