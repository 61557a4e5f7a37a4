package dev.varve.server.command.access;

import dev.varve.codec.Glob;

/** Keys that a selector allows, and what for. Immutable. */
record KeyPattern(String pattern, boolean mayRead, boolean mayWrite, Glob glob) {

  static KeyPattern of(String pattern, boolean mayRead, boolean mayWrite) {
    return new KeyPattern(pattern, mayRead, mayWrite, new Glob(ByteText.bytes(pattern)));
  }

  boolean allows(byte[] key, boolean isRead, boolean isWritten) {
    return (mayRead || !isRead) && (mayWrite || !isWritten) && glob.matches(key);
  }

  /** The same keys for what either allows. */
  KeyPattern with(KeyPattern other) {
    return new KeyPattern(pattern, mayRead || other.mayRead, mayWrite || other.mayWrite, glob);
  }

  /** As a modifier. */
  String describe() {
    if (mayRead && mayWrite) {
      return '~' + pattern;
    }
    return (mayRead ? "%R~" : "%W~") + pattern;
  }
}
