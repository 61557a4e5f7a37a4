package dev.varve.server.resp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * One request: the command's name at 0 and its arguments from 1 on, as the client sent them.
 *
 * <p>Immutable by agreement: nobody changes the arrays, so that a command can run twice, and a data
 * structure may keep an argument as a key or value without copying it.
 */
public final class Args {
  private final byte[][] parts;
  private final int count;

  /** The first {@code count} of {@code parts}; the arrays belong to the new object. */
  public Args(byte[][] parts, int count) {
    this.parts = parts;
    this.count = count;
  }

  /** A request from text, for tests and for commands that call commands. */
  public static Args of(String... parts) {
    byte[][] bytes = new byte[parts.length][];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = parts[i].getBytes(StandardCharsets.UTF_8);
    }
    return new Args(bytes, bytes.length);
  }

  /** How many parts there are, the name included: what Redis calls arity. */
  public int count() {
    return count;
  }

  public byte[] get(int index) {
    if (index >= count) {
      throw new IndexOutOfBoundsException(index);
    }
    return parts[index];
  }

  /** The arguments from one index up to and without another. */
  public List<byte[]> list(int from, int to) {
    return Collections.unmodifiableList(Arrays.asList(parts).subList(from, to));
  }

  /** The arguments from {@code first} on, in an array of their own. */
  public byte[][] from(int first) {
    return Arrays.copyOfRange(parts, first, count);
  }

  /** The request that begins at index {@code first} of this one. */
  public Args request(int first) {
    return new Args(from(first), count - first);
  }

  /** The argument as text, for names of options, messages and logs; never for data. */
  public String text(int index) {
    return new String(get(index), StandardCharsets.UTF_8);
  }

  /** Whether the argument is {@code word} in any case; {@code word} is upper-case ASCII. */
  public boolean is(int index, String word) {
    byte[] part = get(index);
    if (part.length != word.length()) {
      return false;
    }
    for (int i = 0; i < part.length; i++) {
      int letter = part[i];
      if (letter >= 'a' && letter <= 'z') {
        letter -= 'a' - 'A';
      }
      if (letter != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** The arguments' bytes together. */
  public long bytes() {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += parts[i].length;
    }
    return sum;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : " ").append(text(i));
    }
    return text.toString();
  }
}
