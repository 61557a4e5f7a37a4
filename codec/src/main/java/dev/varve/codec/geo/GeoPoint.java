package dev.varve.codec.geo;

/**
 * A place on the earth, in degrees.
 *
 * <p>Immutable, for any thread.
 */
public record GeoPoint(double longitude, double latitude) {
  public static final double LONGITUDE_MAX = 180;

  /** Beyond it the earth is no square map any more (EPSG:900913). */
  public static final double LATITUDE_MAX = 85.05112878;

  private static final double EARTH_RADIUS_METERS = 6372797.560856;
  private static final double RADIANS_PER_DEGREE = Math.PI / 180;

  /** Whether there is a cell for it. */
  public boolean isOnTheMap() {
    return longitude >= -LONGITUDE_MAX
        && longitude <= LONGITUDE_MAX
        && latitude >= -LATITUDE_MAX
        && latitude <= LATITUDE_MAX;
  }

  /** How far it is to another place in meters, by the haversine formula. */
  public double meters(GeoPoint other) {
    double sine = halfAngleSine(other);
    return sine == 0 ? metersNorthward(other) : 2 * EARTH_RADIUS_METERS * Math.asin(sine);
  }

  /** As the other one, to the last digit as far as that can be had, which takes longer. */
  public double metersToTheLastDigit(GeoPoint other) {
    double sine = halfAngleSine(other);
    return sine == 0 ? metersNorthward(other) : 2 * EARTH_RADIUS_METERS * ArcSine.of(sine);
  }

  /** The sine of half the angle between both, or 0 if they are at the same longitude. */
  private double halfAngleSine(GeoPoint other) {
    double v = Math.sin((radians(other.longitude) - radians(longitude)) / 2);
    if (v == 0) {
      return 0;
    }
    double latitude1 = radians(latitude);
    double latitude2 = radians(other.latitude);
    double u = Math.sin((latitude2 - latitude1) / 2);
    double a = u * u + Math.cos(latitude1) * Math.cos(latitude2) * v * v;
    return Math.sqrt(a);
  }

  /** How far it would be if both were at the same longitude. */
  double metersNorthward(GeoPoint other) {
    return EARTH_RADIUS_METERS * Math.abs(radians(other.latitude) - radians(latitude));
  }

  /** How many degrees so many meters are on a circle that is smaller than the equator. */
  static double degrees(double meters, double share) {
    return meters / EARTH_RADIUS_METERS / share / RADIANS_PER_DEGREE;
  }

  static double radians(double degrees) {
    return degrees * RADIANS_PER_DEGREE;
  }
}
