package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/**
 * A function in executable form, which closures share.
 *
 * @param line where it begins; 0 for a chunk
 * @param capturedParameters slots of the parameters that live in cells
 * @param legacyArgSlot slot of the variable {@code arg}; -1 for none
 * @param memory what the chunk takes that it is part of
 * @param weight how much Java stack an activation takes at most, in frames
 */
record FunctionCode(
    String chunkName,
    String shownName,
    int line,
    int parameters,
    boolean variadic,
    int[] capturedParameters,
    int legacyArgSlot,
    int slots,
    int weight,
    CaptureFrom[] captures,
    Stmt body,
    CodeMemory memory) {

  /** A slot of the function around it, or, where that is -1, an upvalue of that function. */
  record CaptureFrom(int slot, int upvalue) {}

  @Nullable Object execute(Frame frame) {
    return body.exec(frame);
  }
}
