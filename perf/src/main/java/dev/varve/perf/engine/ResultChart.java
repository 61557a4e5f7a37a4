package dev.varve.perf.engine;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Results as one HTML page with a chart in it, for people: nothing is loaded from elsewhere. */
final class ResultChart {
  private static final int LABEL_WIDTH = 210;
  private static final int PLOT_WIDTH = 620;
  private static final int BAR_HEIGHT = 13;
  private static final int GAP = 9;
  private static final List<String> COLOURS = List.of("#b5532a", "#8a9199", "#4a7a8c", "#9a8b4f");

  /** Decades that the chart shows, around 1. */
  private static final double LOG_MIN = -1;

  private static final double LOG_MAX = 1;

  /**
   * The page.
   *
   * @param settings of the machine, the run and the engines, by name
   */
  static String html(Results results, Map<String, String> settings) {
    StringBuilder page = new StringBuilder(1 << 14);
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
        .append("<title>Varve beside other engines</title>\n<style>")
        .append("body{font:14px system-ui,sans-serif;margin:2em auto;max-width:60em;color:#222}")
        .append("table{border-collapse:collapse}td,th{padding:.15em .7em;text-align:right}")
        .append(
            "td:first-child,th:first-child{text-align:left}tr:nth-child(even){background:#f4f4f2}")
        .append("</style></head><body>\n<h1>Varve beside other engines</h1>\n");
    page.append("<p>Operations per second over those of ").append(base(results));
    page.append(", medians; the scale is logarithmic, further right is faster.</p>\n");
    svg(page, results);
    table(page, results);
    page.append("<h2>Settings</h2>\n<table>\n");
    new TreeMap<>(settings)
        .forEach(
            (name, value) ->
                page.append("<tr><td>")
                    .append(escape(name))
                    .append("</td><td style=\"text-align:left\">")
                    .append(escape(value))
                    .append("</td></tr>\n"));
    return page.append("</table>\n</body></html>\n").toString();
  }

  /** The engine that others are compared with: RocksDB if it ran, else the first. */
  private static String base(Results results) {
    String rocks = EngineKind.ROCKSDB.label();
    return results.engines().contains(rocks) ? rocks : results.engines().get(0);
  }

  private static void svg(StringBuilder page, Results results) {
    List<String> workloads = results.workloads();
    List<String> shown =
        results.engines().stream().filter(engine -> !engine.equals(base(results))).toList();
    int groupHeight = Math.max(1, shown.size()) * BAR_HEIGHT + GAP;
    int height = workloads.size() * groupHeight + 40;
    page.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-size=\"11\">\n",
            LABEL_WIDTH + PLOT_WIDTH + 50,
            height));
    for (double tick : new double[] {0.1, 0.2, 0.5, 1, 2, 5, 10}) {
      page.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"18\" y2=\"%2$d\" stroke=\"%3$s\"/>"
                  + "<text x=\"%1$.1f\" y=\"12\" text-anchor=\"middle\">%4$s</text>\n",
              x(tick),
              height,
              tick == 1 ? "#222" : "#ddd",
              tick < 1 ? String.valueOf(tick) : String.valueOf((int) tick)));
    }
    int top = 24;
    for (String workload : workloads) {
      page.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
              LABEL_WIDTH - 8,
              top + 10,
              escape(workload)));
      for (int i = 0; i < shown.size(); i++) {
        OptionalDouble ratio = results.ratio(workload, shown.get(i), base(results));
        if (ratio.isPresent()) {
          bar(page, top + i * BAR_HEIGHT, ratio.getAsDouble(), colour(results, shown.get(i)));
        }
      }
      top += groupHeight;
    }
    page.append("</svg>\n<p>");
    for (String engine : shown) {
      page.append(
          String.format(
              Locale.ROOT,
              "<span style=\"color:%s\">&#9632;</span> %s &nbsp; ",
              colour(results, engine),
              escape(engine)));
    }
    page.append("</p>\n");
  }

  private static void bar(StringBuilder page, int top, double ratio, String colour) {
    double from = Math.min(x(1), x(ratio));
    double to = Math.max(x(1), x(ratio));
    page.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                + "<text x=\"%.1f\" y=\"%d\">%.2f</text>\n",
            from,
            top,
            Math.max(1, to - from),
            BAR_HEIGHT - 2,
            colour,
            to + 4,
            top + BAR_HEIGHT - 3,
            ratio));
  }

  private static String colour(Results results, String engine) {
    return COLOURS.get(results.engines().indexOf(engine) % COLOURS.size());
  }

  private static double x(double ratio) {
    double log = Math.max(LOG_MIN, Math.min(LOG_MAX, Math.log10(ratio)));
    return LABEL_WIDTH + PLOT_WIDTH * (log - LOG_MIN) / (LOG_MAX - LOG_MIN);
  }

  private static void table(StringBuilder page, Results results) {
    page.append("<h2>Operations per second, and p99 in microseconds</h2>\n<table>\n<tr><th></th>");
    results.engines().forEach(engine -> page.append("<th>").append(escape(engine)).append("</th>"));
    page.append("</tr>\n");
    for (String workload : results.workloads()) {
      page.append("<tr><td>").append(escape(workload)).append("</td>");
      for (String engine : results.engines()) {
        Measurement median = results.median(workload, engine);
        page.append("<td>");
        if (median != null) {
          page.append(
              String.format(
                  Locale.ROOT,
                  "%,.0f (%,.1f)",
                  median.operationsPerSecond(),
                  median.percentileMicros(99)));
        }
        page.append("</td>");
      }
      page.append("</tr>\n");
    }
    page.append("</table>\n");
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private ResultChart() {}
}
