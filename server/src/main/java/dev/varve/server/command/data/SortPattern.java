package dev.varve.server.command.data;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.Slice;
import dev.varve.codec.format.ValueType;
import dev.varve.codec.member.Hashes;
import dev.varve.codec.string.Strings;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where SORT finds something that belongs to an element: {@code weight_*} is a string's key, {@code
 * object_*->name} a field of a hash, with the element in the place of the star; {@code #} is the
 * element itself.
 *
 * <p>Immutable, any thread.
 */
final class SortPattern {
  private static final byte[] ARROW = "->".getBytes(StandardCharsets.US_ASCII);

  private final byte[] pattern;
  private final int star;
  private final int keyEnd;
  private final byte @Nullable [] field;

  SortPattern(byte[] pattern) {
    this.pattern = pattern;
    star = indexOf(pattern, '*');
    int arrow = star < 0 ? -1 : arrow(pattern, star + 1);
    // An arrow with nothing after it is part of the key's name.
    boolean hasField = arrow >= 0 && arrow + ARROW.length < pattern.length;
    keyEnd = hasField ? arrow : pattern.length;
    field = hasField ? Arrays.copyOfRange(pattern, arrow + ARROW.length, pattern.length) : null;
  }

  private static int indexOf(byte[] text, char letter) {
    for (int i = 0; i < text.length; i++) {
      if (text[i] == letter) {
        return i;
      }
    }
    return -1;
  }

  private static int arrow(byte[] text, int from) {
    for (int i = from; i + ARROW.length <= text.length; i++) {
      if (Arrays.equals(text, i, i + ARROW.length, ARROW, 0, ARROW.length)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether it names the same place for every element. */
  boolean isConstant() {
    return star < 0;
  }

  /** What belongs to {@code element}; null if there is none, or it is of another type. */
  @Nullable Slice lookUp(Transaction transaction, int database, byte[] element) {
    if (pattern.length == 1 && pattern[0] == '#') {
      return Slice.of(element);
    }
    if (isConstant()) {
      return null;
    }
    byte[] key = key(element);
    ValueType type = field == null ? ValueType.STRING : ValueType.HASH;
    Meta meta = transaction.find(database, key);
    if (meta == null || meta.type() != type) {
      return null;
    }
    if (field == null) {
      return Strings.value(transaction, database, key, meta);
    }
    Slice value = Hashes.get(transaction, database, key, field);
    // Many are looked up before the first is told.
    return value == null ? null : Slice.of(value.toBytes());
  }

  private byte[] key(byte[] element) {
    byte[] key = new byte[keyLength(element)];
    System.arraycopy(pattern, 0, key, 0, star);
    System.arraycopy(element, 0, key, star, element.length);
    System.arraycopy(pattern, star + 1, key, star + element.length, keyEnd - star - 1);
    return key;
  }

  private int keyLength(byte[] element) {
    long length = keyEnd - 1L + element.length;
    if (length > Integer.MAX_VALUE - 16) {
      throw new DataException("ERR a key of " + length + " bytes is too long");
    }
    return (int) length;
  }
}
