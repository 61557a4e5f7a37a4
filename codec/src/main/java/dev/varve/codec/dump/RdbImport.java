package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.store.WriteTooLargeException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Writes what an RDB file has: each key in a transaction, a long collection in several, so that no
 * more of it than a piece is in memory. Streams and strings are whole.
 *
 * <p>For one file, on one thread.
 */
public final class RdbImport {
  /** As many as a command of a client would have, which a transaction takes well. */
  private static final ValueReader.Limit PIECE = new ValueReader.Limit(1000, 256 << 10);

  /** Where it all goes. */
  public interface Target {

    /** Runs a change, which sees those before it; maybe twice, if it ended by a signal. */
    void write(Consumer<Transaction> change) throws IOException;

    /** Stores a library of functions, by all of its code. */
    void library(byte[] code) throws IOException;
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
   * @param length how many bytes it has
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

    private void write(byte[] key, Consumer<Transaction> change) {
      try {
        target.write(change);
      } catch (WriteTooLargeException tooLarge) {
        throw new UncheckedIOException(
            new IOException("the key " + named(key) + ": " + tooLarge.getMessage(), tooLarge));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
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
      if (!isFirst && isStored) {
        write(key, transaction -> DumpedValues.append(transaction, database, key, piece));
        return;
      }
      isStored = create(database, key, expiryMillis, piece);
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

    private boolean create(int database, byte[] key, long expiryMillis, DumpedValue piece) {
      boolean[] isCreated = new boolean[1];
      write(
          key,
          transaction -> {
            Meta old = transaction.findForWrite(database, key);
            if (old != null) {
              transaction.remove(database, key, old);
            }
            isCreated[0] = DumpedValues.create(transaction, database, key, expiryMillis, piece);
          });
      return isCreated[0];
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
    public void unreadable() {
      unreadable++;
    }
  }
}
