package dev.varve.server.net;

import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import java.util.Arrays;
import java.util.List;

/**
 * An address as {@code bind} has it in redis.conf: {@code *} and {@code ::*} are all of IPv4 and
 * IPv6, and with a {@code -} before it a server does without where the machine does not have it.
 *
 * @param host a name or an address
 */
record BindAddress(String host, boolean isOptional) {
  /** Those that a server is to listen on. */
  static List<BindAddress> all(Settings settings) {
    return Arrays.stream(settings.text(Parameters.BIND).trim().split("\\s+"))
        .map(BindAddress::of)
        .toList();
  }

  static BindAddress of(String word) {
    boolean isOptional = word.length() > 1 && word.startsWith("-");
    String address = isOptional ? word.substring(1) : word;
    String host =
        switch (address) {
          case "*" -> "0.0.0.0";
          case "::*" -> "::";
          default -> address;
        };
    return new BindAddress(host, isOptional);
  }
}
