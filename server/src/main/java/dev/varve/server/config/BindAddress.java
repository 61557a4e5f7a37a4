package dev.varve.server.config;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * An address as {@code bind} has it in redis.conf: {@code *} and {@code ::*} are all of IPv4 and
 * IPv6, and with a {@code -} before it a server does without where the machine does not have it.
 *
 * @param host a name or an address
 */
public record BindAddress(String host, boolean isOptional) {
  private static final String ALL = "::";

  /** Those that a server is to listen on; the one that may make the others needless comes first. */
  public static List<BindAddress> all(Settings settings) {
    return Arrays.stream(settings.text(Parameters.BIND).trim().split("\\s+"))
        .map(BindAddress::of)
        .sorted(Comparator.comparing(address -> !address.isAll()))
        .toList();
  }

  /** Whether who listens there listens everywhere, IPv4 too: nobody else has the port then. */
  public boolean isAll() {
    return host.equals(ALL);
  }

  static BindAddress of(String word) {
    boolean isOptional = word.length() > 1 && word.startsWith("-");
    String address = isOptional ? word.substring(1) : word;
    String host =
        switch (address) {
          case "*" -> "0.0.0.0";
          case "::*" -> ALL;
          default -> address;
        };
    return new BindAddress(host, isOptional);
  }
}
