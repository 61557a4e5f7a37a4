package dev.varve.codec;

import dev.varve.codec.store.WriteTooLargeException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a copy of the data has to be asked for so that it becomes what a transaction makes of this
 * one: requests as Redis knows them, without what is random, what waits, and what depends on the
 * time.
 *
 * <p>A command that writes is its own effect, unless it says what stands {@linkplain #instead
 * instead}. What has expired on its way is deleted before it.
 *
 * <p>Of a script that writes to one key very often there are more effects than writes. So they have
 * a limit of their own, beyond which {@link WriteTooLargeException} is thrown.
 *
 * <p>Belongs to the thread of its transaction.
 */
public final class Effects {
  /** Where nobody asks for them: takes none. */
  public static final Effects NONE = new Effects(false);

  /** So many keys that have expired are deleted by one request. */
  private static final int EXPIRED_MAX = 1000;

  /** So many members leave a collection by one request. */
  private static final int MEMBERS_MAX = 1000;

  /** What they may take until the transaction is over, as what it writes may. */
  static final long HEAP_BYTES_MAX = Runtime.getRuntime().maxMemory() / 3;

  /** What one of them takes besides its words, and a word besides its bytes, about. */
  private static final int EFFECT_HEAP_BYTES = 64;

  private static final int WORD_HEAP_BYTES = 32;

  private static final byte[] DEL = word("DEL");

  /**
   * One request.
   *
   * @param database the number of the database that it is made in
   * @param words its name and its arguments; the arrays are not to be changed
   */
  public record Effect(int database, List<byte[]> words) {}

  private final boolean areWanted;
  private final List<Effect> all = new ArrayList<>(1);

  /** Whether the last of them deletes what has expired, and may take more keys. */
  private boolean isExpiring;

  private boolean isSaid;

  private long heapBytes;

  /** For a transaction whose effects somebody asks for. */
  public Effects() {
    this(true);
  }

  private Effects(boolean areWanted) {
    this.areWanted = areWanted;
  }

  /** Whether it is of any use to say what they are. */
  public boolean areWanted() {
    return areWanted;
  }

  /** A command begins that is its own effect. */
  public void begin() {
    isSaid = false;
  }

  /**
   * The command has run.
   *
   * @param changed whether it has written anything
   */
  public void end(int database, List<byte[]> words, boolean changed) {
    if (changed && !isSaid) {
      add(database, words);
    }
  }

  /**
   * Says that the effect of the command is this request: besides others, if it has said some.
   *
   * @param words each an array, a text, or a number
   */
  public void instead(int database, Object... words) {
    insteadWith(database, List.of(), words);
  }

  /**
   * The same.
   *
   * @param start what comes before {@code rest}
   */
  public void insteadWith(int database, List<byte[]> rest, Object... start) {
    if (areWanted) {
      isSaid = true;
      List<byte[]> words = request(start);
      words.addAll(rest);
      add(database, words);
    }
  }

  /** Says that the command has no effect, or none but those that it says. */
  public void insteadNothing() {
    isSaid = areWanted;
  }

  /**
   * The same as {@link #instead} for a request on any number of members of one key.
   *
   * @param start what comes before them
   */
  public void insteadOfMembers(int database, List<byte[]> members, Object... start) {
    insteadNothing();
    ofMembers(database, members, start);
  }

  private void ofMembers(int database, List<byte[]> members, Object... start) {
    for (int from = 0; from < members.size() && areWanted; from += MEMBERS_MAX) {
      List<byte[]> words = request(start);
      words.addAll(members.subList(from, Math.min(members.size(), from + MEMBERS_MAX)));
      add(database, words);
    }
  }

  /** A key has expired, or the server has deleted it for another reason of its own. */
  public void deleted(int database, byte[] key) {
    if (!areWanted || database < 0) {
      return;
    }
    Effect last = isExpiring ? all.get(all.size() - 1) : null;
    if (last == null || last.database != database || last.words.size() > EXPIRED_MAX) {
      add(database, request(DEL));
      isExpiring = true;
    }
    all.get(all.size() - 1).words.add(key);
  }

  /** Fields of a hash have expired. */
  public void fieldsDeleted(int database, byte[] key, List<byte[]> fields) {
    if (database >= 0) {
      ofMembers(database, fields, "HDEL", key);
    }
  }

  private void add(int database, List<byte[]> words) {
    heapBytes += EFFECT_HEAP_BYTES;
    for (byte[] word : words) {
      heapBytes += WORD_HEAP_BYTES + word.length;
    }
    // One by itself is what the request is made of, however long that is.
    if (heapBytes > HEAP_BYTES_MAX && !all.isEmpty()) {
      throw WriteTooLargeException.effects(HEAP_BYTES_MAX);
    }
    all.add(new Effect(database, words));
    isExpiring = false;
  }

  private static List<byte[]> request(Object... words) {
    List<byte[]> request = new ArrayList<>(words.length + 1);
    for (Object word : words) {
      request.add(word instanceof byte[] bytes ? bytes : word(word.toString()));
    }
    return request;
  }

  private static byte[] word(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** All of them, in the order in which they are to be asked for. */
  public List<Effect> all() {
    return all;
  }
}
