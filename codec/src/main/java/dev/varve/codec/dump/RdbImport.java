package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.WriteTooLargeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes what an RDB file has: each key in a transaction, a long collection in several, so that no
 * more of it than a piece is in memory. Streams and strings are whole.
 *
 * <p>For one file, on one thread.
 */
public final class RdbImport {
  /** As many as a command of a client would have, which a transaction takes well. */
  private static final ValueReader.Limit PIECE = new ValueReader.Limit(1000, 256 << 10);

  private static final byte[] STREAM_DATABASE =
      RdbFormat.STREAM_DATABASE.getBytes(StandardCharsets.US_ASCII);

  /** The length of a file that ends where its bytes do. */
  public static final long TO_ITS_END = DumpInput.TO_ITS_END;

  /**
   * What is to be written in one transaction. It may be run several times, each time with another
   * one, until one of them has been applied.
   */
  public interface Change {

    /** About how many bytes it has in memory. */
    long bytes();

    /** Gathers it. */
    void run(Transaction transaction);

    /** What its last run has gathered is applied. */
    void applied();
  }

  /** Where it all goes. */
  public interface Target {

    /** Carries a change out, now or later: it sees those before it. */
    void write(Change change) throws IOException;

    /** Stores a library of functions, by all of its code. */
    void library(byte[] code) throws IOException;

    /** Behind the file come requests that are for this database, until they say another one. */
    default void streamGoesOnIn(int database) {}

    /** That was all: returns when it is stored. */
    void finish() throws IOException;
  }

  /**
   * What was read.
   *
   * @param keys how many are stored
   * @param expired how many were not, for they have expired
   * @param unreadable how many were not, for they are of a module's type
   * @param libraries how many libraries of functions there were
   */
  public record Summary(long keys, long expired, long unreadable, long libraries) {}

  private final int databases;
  private final DumpInput input;
  private final RdbReader reader;
  private final long length;
  private long keys;
  private long expired;
  private long unreadable;
  private long libraries;

  /**
   * Reads the first bytes of the file.
   *
   * @param length how many bytes it has, or {@link #TO_ITS_END}
   * @param databases how many there are to put keys into
   * @throws IOException also if this is no RDB file, or of a version that is not known here
   */
  public RdbImport(InputStream file, long length, int databases) throws IOException {
    this.databases = databases;
    this.length = length;
    this.input = new DumpInput(file, length);
    try {
      this.reader = new RdbReader(input);
    } catch (DamagedValueException other) {
      throw new IOException(other.what(), other);
    } catch (UncheckedIOException failure) {
      throw failure.getCause();
    }
  }

  /**
   * Reads the rest, and writes all of it.
   *
   * @throws IOException also where the file is damaged, or has what cannot be stored: the message
   *     tells where, or which key
   */
  public Summary run(Target target) throws IOException {
    try {
      reader.read(PIECE, new Writing(target));
      target.finish();
    } catch (DamagedValueException damaged) {
      throw new IOException("at byte " + readBytes() + ": " + damaged.what(), damaged);
    } catch (UncheckedIOException failure) {
      throw failure.getCause();
    }
    return new Summary(keys, expired, unreadable, libraries);
  }

  /** How many bytes of the file were read. */
  public long readBytes() {
    return length - input.left();
  }

  /** How many bytes it has. */
  public long length() {
    return length;
  }

  /** How many keys were stored until now. */
  public long keys() {
    return keys;
  }

  /** A key for a line of text, cut where it is long. */
  private static String named(byte[] key) {
    String text = new String(key, 0, Math.min(key.length, 64), StandardCharsets.ISO_8859_1);
    return "'" + text + (key.length > 64 ? "…'" : "'");
  }

  private final class Writing implements RdbReader.Sink {
    private final Target target;

    /** Whether something of the last key is stored. */
    private boolean isStored;

    Writing(Target target) {
      this.target = target;
    }

    @Override
    public void piece(
        int database, byte[] key, long expiryMillis, boolean isFirst, DumpedValue piece) {
      if (database >= databases) {
        throw new UncheckedIOException(
            new IOException(
                "the file has keys in database "
                    + database
                    + ": start with --databases "
                    + (database + 1)));
      }
      try {
        target.write(new PieceChange(database, key, expiryMillis, isFirst, piece));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    /**
     * Creates a key with the first of its pieces that has anything in it, or adds a further one.
     */
    private final class PieceChange implements Change {
      private final int database;
      private final byte[] key;
      private final long expiryMillis;
      private final boolean isFirst;
      private final DumpedValue piece;
      private boolean isCreated;

      PieceChange(int database, byte[] key, long expiryMillis, boolean isFirst, DumpedValue piece) {
        this.database = database;
        this.key = key;
        this.expiryMillis = expiryMillis;
        this.isFirst = isFirst;
        this.piece = piece;
      }

      @Override
      public long bytes() {
        return key.length + piece.bytes();
      }

      @Override
      public void run(Transaction transaction) {
        try {
          if (isFurther()) {
            DumpedValues.append(transaction, database, key, piece);
          } else {
            create(transaction);
          }
        } catch (WriteTooLargeException tooLarge) {
          throw new UncheckedIOException(
              new IOException("the key " + named(key) + ": " + tooLarge.getMessage(), tooLarge));
        }
      }

      private boolean isFurther() {
        return !isFirst && isStored;
      }

      private void create(Transaction transaction) {
        Meta old = transaction.findForWrite(database, key);
        if (old != null) {
          transaction.remove(database, key, old);
        }
        isCreated = DumpedValues.create(transaction, database, key, expiryMillis, piece);
      }

      @Override
      public void applied() {
        if (isFurther()) {
          return;
        }
        isStored = isCreated;
        if (isStored) {
          keys++;
        }
        if (isFirst && !isStored) {
          expired++;
        } else if (!isFirst && isStored) {
          // Only the fields until here have expired.
          expired--;
        }
      }
    }

    @Override
    public void library(byte[] code) {
      try {
        target.library(code);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
      libraries++;
    }

    @Override
    public void note(byte[] name, byte[] value) {
      String text = new String(value, StandardCharsets.ISO_8859_1);
      if (Arrays.equals(name, STREAM_DATABASE) && text.matches("\\d{1,9}")) {
        target.streamGoesOnIn(Integer.parseInt(text));
      }
    }

    @Override
    public void unreadable() {
      unreadable++;
    }
  }
}
