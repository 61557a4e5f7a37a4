package dev.varve.codec.geo;

import java.nio.charset.StandardCharsets;

/**
 * A cell of the map: a column and a row out of 2^step each.
 *
 * <p>Immutable, for any thread.
 *
 * @param step how often both sides were halved, 1 to {@link #STEP_MAX}
 * @param column from the west, below 2^step; 2^step is the very edge of the map
 * @param row from the south, likewise
 */
public record GeoCell(int step, long column, long row) {
  /** The step of the numbers that are stored: 52 bits, which a double keeps. */
  public static final int STEP_MAX = 26;

  /** The whole circle of latitudes, as the geohashes of others have it. */
  private static final double STANDARD_LATITUDE_MAX = 90;

  private static final byte[] BASE_32 =
      "0123456789bcdefghjkmnpqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
  private static final int TEXT_BYTES = 11;
  private static final int TEXT_BITS = 5;

  /** The cell that a place of the map is in. */
  public static GeoCell of(GeoPoint point, int step) {
    return of(point, step, GeoPoint.LATITUDE_MAX);
  }

  private static GeoCell of(GeoPoint point, int step, double latitudeMax) {
    double cells = 1L << step;
    double east =
        (point.longitude() + GeoPoint.LONGITUDE_MAX) / (2 * GeoPoint.LONGITUDE_MAX) * cells;
    double north = (point.latitude() + latitudeMax) / (2 * latitudeMax) * cells;
    return new GeoCell(step, (long) east, (long) north);
  }

  /** The cell whose number is stored as a score. */
  public static GeoCell ofScore(double score) {
    long bits = (long) score;
    return new GeoCell(STEP_MAX, spread(bits >>> 1), spread(bits));
  }

  /** Every second bit, from the lowest on, next to each other. */
  private static long spread(long bits) {
    long even = bits & 0x5555_5555_5555_5555L;
    even = (even | even >>> 1) & 0x3333_3333_3333_3333L;
    even = (even | even >>> 2) & 0x0F0F_0F0F_0F0F_0F0FL;
    even = (even | even >>> 4) & 0x00FF_00FF_00FF_00FFL;
    even = (even | even >>> 8) & 0x0000_FFFF_0000_FFFFL;
    return (even | even >>> 16) & 0x0000_0000_FFFF_FFFFL;
  }

  /** The bits with a zero above each. */
  private static long interleaved(long bits) {
    long even = bits & 0xFFFF_FFFFL;
    even = (even | even << 16) & 0x0000_FFFF_0000_FFFFL;
    even = (even | even << 8) & 0x00FF_00FF_00FF_00FFL;
    even = (even | even << 4) & 0x0F0F_0F0F_0F0F_0F0FL;
    even = (even | even << 2) & 0x3333_3333_3333_3333L;
    return (even | even << 1) & 0x5555_5555_5555_5555L;
  }

  /** Its number at its own step: column and row, bit by bit in turns. */
  public long bits() {
    return interleaved(row) | interleaved(column) << 1;
  }

  /** The lowest score of the places in it. */
  public double scoreMin() {
    return bits() << 2 * (STEP_MAX - step);
  }

  /** The first score after those of the places in it. */
  public double scoreEnd() {
    return (bits() + 1) << 2 * (STEP_MAX - step);
  }

  /**
   * The cell so many columns to the east and rows to the north, around the map where it ends. From
   * the very edge of the map one stays on it by going along it, as places there have numbers of
   * their own.
   */
  public GeoCell neighbor(int columns, int rows) {
    return new GeoCell(step, moved(column, columns), moved(row, rows));
  }

  private long moved(long index, int by) {
    return by == 0 ? index : index + by & (1L << step) - 1;
  }

  double west() {
    return -GeoPoint.LONGITUDE_MAX + share(column) * 2 * GeoPoint.LONGITUDE_MAX;
  }

  double east() {
    return -GeoPoint.LONGITUDE_MAX + share(column + 1) * 2 * GeoPoint.LONGITUDE_MAX;
  }

  double south() {
    return -GeoPoint.LATITUDE_MAX + share(row) * (2 * GeoPoint.LATITUDE_MAX);
  }

  double north() {
    return -GeoPoint.LATITUDE_MAX + share(row + 1) * (2 * GeoPoint.LATITUDE_MAX);
  }

  private double share(long index) {
    return index * 1.0 / (1L << step);
  }

  /** Its middle. */
  public GeoPoint center() {
    double longitude = (west() + east()) / 2;
    double latitude = (south() + north()) / 2;
    return new GeoPoint(
        Math.max(-GeoPoint.LONGITUDE_MAX, Math.min(GeoPoint.LONGITUDE_MAX, longitude)),
        Math.max(-GeoPoint.LATITUDE_MAX, Math.min(GeoPoint.LATITUDE_MAX, latitude)));
  }

  /** Its middle as a standard geohash of 11 letters, the last of which says nothing. */
  public byte[] geohash() {
    long bits = of(center(), STEP_MAX, STANDARD_LATITUDE_MAX).bits();
    byte[] text = new byte[TEXT_BYTES];
    for (int i = 0; i < TEXT_BYTES; i++) {
      int shift = 2 * STEP_MAX - (i + 1) * TEXT_BITS;
      text[i] = BASE_32[shift < 0 ? 0 : (int) (bits >>> shift) & 0x1F];
    }
    return text;
  }
}
