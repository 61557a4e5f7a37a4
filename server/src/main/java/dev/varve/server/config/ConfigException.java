package dev.varve.server.config;

/** A configuration is not valid: says what is wrong with which parameter, in one line. */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  public ConfigException(String what) {
    super(what);
  }

  /** What is wrong. */
  public String what() {
    return String.valueOf(getMessage());
  }
}
