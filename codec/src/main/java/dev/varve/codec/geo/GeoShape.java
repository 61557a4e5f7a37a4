package dev.varve.codec.geo;

import java.util.ArrayList;
import java.util.List;

/**
 * What a search covers: a circle or a box around a place.
 *
 * <p>Immutable, for any thread.
 *
 * @param center its middle
 * @param isCircle whether it is a circle, of which width and height are the diameter
 * @param widthMeters how far it goes from west to east
 * @param heightMeters how far it goes from south to north
 */
public record GeoShape(GeoPoint center, boolean isCircle, double widthMeters, double heightMeters) {
  /** What {@link #meters} returns for a place outside. */
  public static final double OUTSIDE = -1;

  private static final double MERCATOR_MAX = 20037726.37;
  private static final double POLAR_LATITUDE = 66;
  private static final double MOST_POLAR_LATITUDE = 80;

  public static GeoShape circle(GeoPoint center, double radiusMeters) {
    return new GeoShape(center, true, 2 * radiusMeters, 2 * radiusMeters);
  }

  public static GeoShape box(GeoPoint center, double widthMeters, double heightMeters) {
    return new GeoShape(center, false, widthMeters, heightMeters);
  }

  /** How far a place is from the center, or {@link #OUTSIDE}. */
  public double meters(GeoPoint point) {
    if (isCircle) {
      double meters = center.meters(point);
      return meters > widthMeters / 2 ? OUTSIDE : meters;
    }
    if (center.metersNorthward(point) > heightMeters / 2
        || point.meters(new GeoPoint(center.longitude(), point.latitude())) > widthMeters / 2) {
      return OUTSIDE;
    }
    return center.meters(point);
  }

  /**
   * The cells that cover it, each once: that of the center first, then those to the north, south,
   * east, west, north-east, north-west, south-east and south-west as far as they are needed.
   */
  public List<GeoCell> cells() {
    double height = GeoPoint.degrees(heightMeters / 2, 1);
    // Meridians are closest on the side towards the pole.
    double narrow = center.latitude() + (center.latitude() < 0 ? -height : height);
    double width = GeoPoint.degrees(widthMeters / 2, Math.cos(GeoPoint.radians(narrow)));
    double west = center.longitude() - width;
    double east = center.longitude() + width;
    double south = center.latitude() - height;
    double north = center.latitude() + height;

    int step = step();
    GeoCell cell = GeoCell.of(center, step);
    boolean isTooSmall =
        cell.neighbor(0, 1).north() < north
            || cell.neighbor(0, -1).south() > south
            || cell.neighbor(1, 0).east() < east
            || cell.neighbor(-1, 0).west() > west;
    if (step > 1 && isTooSmall) {
      step--;
      cell = GeoCell.of(center, step);
    }
    boolean cuts = step >= 2;
    boolean noSouth = cuts && cell.south() < south;
    boolean noNorth = cuts && cell.north() > north;
    boolean noWest = cuts && cell.west() < west;
    boolean noEast = cuts && cell.east() > east;

    int[][] directions = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    List<GeoCell> cells = new ArrayList<>();
    cells.add(cell);
    for (int[] direction : directions) {
      boolean isOut =
          (direction[0] > 0 && noEast)
              || (direction[0] < 0 && noWest)
              || (direction[1] > 0 && noNorth)
              || (direction[1] < 0 && noSouth);
      GeoCell neighbor = cell.neighbor(direction[0], direction[1]);
      if (!isOut && !cells.contains(neighbor)) {
        cells.add(neighbor);
      }
    }
    return cells;
  }

  /** How small cells may be so that the nine around the center cover this. */
  private int step() {
    double reach = isCircle ? widthMeters / 2 : Math.hypot(widthMeters / 2, heightMeters / 2);
    if (reach == 0) {
      return GeoCell.STEP_MAX;
    }
    int step = 1;
    for (; reach < MERCATOR_MAX; reach *= 2) {
      step++;
    }
    step -= 2;
    double latitude = Math.abs(center.latitude());
    if (latitude > POLAR_LATITUDE) {
      step -= latitude > MOST_POLAR_LATITUDE ? 2 : 1;
    }
    return Math.max(1, Math.min(GeoCell.STEP_MAX, step));
  }
}
