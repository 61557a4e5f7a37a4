package dev.varve.server.net.tls;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** The certificates and keys that {@code tls/make.sh} has made. */
public final class TestIdentities {
  /** What the encrypted keys are encrypted by. */
  public static final String PASSWORD = "secret";

  private TestIdentities() {}

  /** One of its files. */
  public static String path(String name) {
    var found = TestIdentities.class.getResource("/tls/" + name);
    if (found == null) {
      throw new AssertionError("no file " + name);
    }
    try {
      return Path.of(found.toURI()).toString();
    } catch (URISyntaxException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
