package dev.varve.codec.dump;

import dev.varve.codec.Glob;
import dev.varve.codec.KeyWalk;
import dev.varve.codec.Keys;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Writes all keys as an RDB file of version {@value DumpFormat#VERSION}, which Redis 7.0 and what
 * is newer loads, but for hashes of which fields expire: these 7.4 does, and refuses a file before
 * that. Collections and streams are written as they are read; strings are whole in memory.
 *
 * <p>For one file, on one thread.
 */
public final class RdbExport {
  /** Instead of the number of one. */
  public static final int NO_DATABASE = -1;

  private static final Glob ALL = new Glob(ascii("*"));

  private final Supplier<Transaction> transactions;
  private final IntToLongFunction sizes;
  private final LongConsumer onKey;
  private long keys;

  /** The database that the last key was of. */
  private int begun = NO_DATABASE;

  private RdbExport(
      Supplier<Transaction> transactions, IntToLongFunction sizes, LongConsumer onKey) {
    this.transactions = transactions;
    this.sizes = sizes;
    this.onKey = onKey;
  }

  /**
   * Writes all of it.
   *
   * @param libraries of functions, each by all of its code
   * @param transactions each on the same state, at the same moment; what they write is dropped
   * @param onKey is told after each key how many there were until then
   * @return how many there were
   */
  public static long write(
      OutputStream file,
      List<byte[]> libraries,
      Supplier<Transaction> transactions,
      LongConsumer onKey)
      throws IOException {
    return write(
        file,
        libraries,
        transactions,
        database -> Keys.size(transactions.get(), database),
        NO_DATABASE,
        onKey);
  }

  /**
   * The same where the counters of the transactions may be of another state.
   *
   * @param sizes says about how many keys a database has; if none, it is not looked at
   * @param streamDatabase which one the requests that are sent behind it go on in, or {@link
   *     #NO_DATABASE} where they say that themselves
   */
  public static long write(
      OutputStream file,
      List<byte[]> libraries,
      Supplier<Transaction> transactions,
      IntToLongFunction sizes,
      int streamDatabase,
      LongConsumer onKey)
      throws IOException {
    RdbExport export = new RdbExport(transactions, sizes, onKey);
    export.write(file, libraries, streamDatabase);
    return export.keys;
  }

  private void write(OutputStream file, List<byte[]> libraries, int streamDatabase)
      throws IOException {
    DumpOutput output = new DumpOutput(file);
    try {
      output.bytes(RdbFormat.header(DumpFormat.VERSION));
      if (streamDatabase != NO_DATABASE) {
        output.code(RdbFormat.NOTE);
        output.string(ascii(RdbFormat.STREAM_DATABASE));
        output.string(ascii(Integer.toString(streamDatabase)));
      }
      for (byte[] code : libraries) {
        output.code(DumpFormat.LIBRARY);
        output.string(code);
      }
      int databases = transactions.get().databases().count();
      for (int database = 0; database < databases; database++) {
        long size = sizes.applyAsLong(database);
        if (size > 0) {
          database(output, database, size);
        }
      }
      output.code(RdbFormat.END);
      output.finishFile();
    } catch (UncheckedIOException failure) {
      throw failure.getCause();
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void database(DumpOutput output, int database, long size) {
    KeyWalk.all(transactions.get(), database, ALL, key -> key(output, database, size, key));
  }

  private void begin(DumpOutput output, int database, long size) {
    output.code(RdbFormat.DATABASE);
    output.length(database);
    output.code(RdbFormat.SIZES);
    output.length(size);
    // How many of these expire is only said so that a table for them can be made before.
    output.length(0);
    begun = database;
  }

  private void key(DumpOutput output, int database, long size, byte[] key) {
    // One for each: it remembers what it has read.
    Transaction transaction = transactions.get();
    Meta meta = transaction.find(database, key);
    if (meta != null) {
      if (begun != database) {
        begin(output, database, size);
      }
      output.beginKey(key, meta.expiryMillis());
      ValueWriter.write(output, transaction, database, key, meta);
      keys++;
      onKey.accept(keys);
    }
  }
}
