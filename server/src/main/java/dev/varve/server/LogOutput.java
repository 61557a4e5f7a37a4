package dev.varve.server;

import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;

/** Sets up where the log of events goes and how much of it. Before the first logger is made. */
final class LogOutput {
  private static final String PREFIX = "org.slf4j.simpleLogger.";

  private LogOutput() {}

  static void configure(Settings settings) {
    byDefault("logFile", "System.out");
    byDefault("showDateTime", "true");
    byDefault("dateTimeFormat", "yyyy-MM-dd HH:mm:ss.SSS");
    byDefault("showThreadName", "false");
    byDefault("showShortLogName", "true");
    byDefault("defaultLogLevel", level(settings.text(Parameters.LOGLEVEL)));
    // The libraries' own notes are for those who debug them.
    byDefault("log.io.netty", "warn");
    byDefault("log.io.vertx", "warn");
    byDefault("log.net.openhft", "error");
  }

  /** As Redis's levels: verbose is more than notice, and less than debug. */
  private static String level(String redisLevel) {
    return switch (redisLevel) {
      case "debug" -> "trace";
      case "verbose" -> "debug";
      case "warning" -> "warn";
      default -> "info";
    };
  }

  private static void byDefault(String name, String value) {
    if (System.getProperty(PREFIX + name) == null) {
      System.setProperty(PREFIX + name, value);
    }
  }
}
