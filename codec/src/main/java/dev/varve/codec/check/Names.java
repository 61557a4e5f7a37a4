package dev.varve.codec.check;

import dev.varve.codec.format.KeyFormat;
import java.util.Arrays;
import java.util.HexFormat;

/** What is wrong is told to people: names of keys, members and entries as they can be read. */
final class Names {
  /** Of a longer name the rest is left out. */
  private static final int BYTES_MAX = 100;

  private Names() {}

  /** A name in quotes, with what is no ASCII escaped as redis-cli does. */
  static String quoted(byte[] name) {
    StringBuilder text = new StringBuilder().append('"');
    for (int i = 0; i < Math.min(name.length, BYTES_MAX); i++) {
      int one = name[i] & 0xFF;
      if (one == '"' || one == '\\') {
        text.append('\\').append((char) one);
      } else if (one >= ' ' && one < 0x7F) {
        text.append((char) one);
      } else {
        text.append("\\x").append(HexFormat.of().toHexDigits((byte) one));
      }
    }
    return text.append('"').append(name.length > BYTES_MAX ? "…" : "").toString();
  }

  /** A key of a database. */
  static String key(int database, byte[] key) {
    return "key " + quoted(key) + " of database " + Integer.toUnsignedString(database);
  }

  /** A stored key, as far as it can be told apart from others. */
  static String entry(byte[] stored) {
    return "entry '"
        + (char) stored[0]
        + "' "
        + quoted(Arrays.copyOfRange(stored, 1, stored.length));
  }

  /** What all entries of a version of a collection in a keyspace begin with. */
  static String entriesOf(byte[] stored) {
    return "entries '"
        + (char) stored[0]
        + "' filed under "
        + quoted(KeyFormat.userKey(stored))
        + ", version "
        + Long.toUnsignedString(KeyFormat.version(stored))
        + ", in the database with the id "
        + Integer.toUnsignedString(KeyFormat.databaseId(stored));
  }
}
