package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Userdata;

/**
 * The settings of one instance of cjson, which scripts change.
 *
 * <p>Used by the thread that has the state.
 */
final class JsonConfig {
  /** What a null of JSON is in Lua. */
  static final Userdata NULL = new Userdata("userdata: (nil)");

  /** What becomes of numbers that JSON cannot write. */
  enum InvalidNumbers {
    OFF,
    ON,
    NULL
  }

  static final int PRECISION_MAX = 14;
  private static final int DEPTH_MAX = 1000;

  boolean sparseConvert;
  int sparseRatio = 2;
  int sparseSafe = 10;
  int encodeDepthMax = DEPTH_MAX;
  int decodeDepthMax = DEPTH_MAX;
  int precision = PRECISION_MAX;
  boolean keepBuffer = true;
  InvalidNumbers encodeInvalid = InvalidNumbers.OFF;
  InvalidNumbers decodeInvalid = InvalidNumbers.ON;
}
