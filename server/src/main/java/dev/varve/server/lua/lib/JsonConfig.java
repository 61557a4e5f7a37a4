package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.Userdata;
import dev.varve.server.lua.value.UndoLog;

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

  /** The span of the log of changes in which it was made, or all of it was kept there. */
  private int keptIn;

  JsonConfig(UndoLog log) {
    this.keptIn = log.span();
  }

  private JsonConfig(JsonConfig other) {
    set(other);
  }

  private void set(JsonConfig other) {
    sparseConvert = other.sparseConvert;
    sparseRatio = other.sparseRatio;
    sparseSafe = other.sparseSafe;
    encodeDepthMax = other.encodeDepthMax;
    decodeDepthMax = other.decodeDepthMax;
    precision = other.precision;
    keepBuffer = other.keepBuffer;
    encodeInvalid = other.encodeInvalid;
    decodeInvalid = other.decodeInvalid;
  }

  /** A setting is about to be changed. */
  void changes(UndoLog log) {
    if (log.keeps(keptIn)) {
      log.add(new Change(this, new JsonConfig(this)));
      keptIn = log.span();
    }
  }

  private record Change(JsonConfig config, JsonConfig before) implements UndoLog.Change {
    @Override
    public void undo() {
      config.set(before);
    }
  }
}
