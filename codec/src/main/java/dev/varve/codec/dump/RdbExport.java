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
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Writes all keys as an RDB file of version {@value DumpFormat#VERSION}, which Redis 7.0 and what
 * is newer loads, but for hashes of which fields expire: these 7.4 does, and refuses a file before
 * that. Collections are written as they are read; strings and streams are whole in memory.
 *
 * <p>For one file, on one thread.
 */
public final class RdbExport {
  private static final Glob ALL = new Glob("*".getBytes(StandardCharsets.US_ASCII));

  private final Supplier<Transaction> transactions;
  private final LongConsumer onKey;
  private long keys;

  private RdbExport(Supplier<Transaction> transactions, LongConsumer onKey) {
    this.transactions = transactions;
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
    RdbExport export = new RdbExport(transactions, onKey);
    export.write(file, libraries);
    return export.keys;
  }

  private void write(OutputStream file, List<byte[]> libraries) throws IOException {
    DumpOutput output = new DumpOutput(file);
    try {
      output.bytes(RdbFormat.header(DumpFormat.VERSION));
      for (byte[] code : libraries) {
        output.code(DumpFormat.LIBRARY);
        output.string(code);
      }
      Transaction counting = transactions.get();
      for (int database = 0; database < counting.databases().count(); database++) {
        long size = Keys.size(counting, database);
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

  private void database(DumpOutput output, int database, long size) {
    output.code(RdbFormat.DATABASE);
    output.length(database);
    output.code(RdbFormat.SIZES);
    output.length(size);
    // How many of these expire is only said so that a table for them can be made before.
    output.length(0);
    KeyWalk.all(transactions.get(), database, ALL, key -> key(output, database, key));
  }

  private void key(DumpOutput output, int database, byte[] key) {
    // One for each: it remembers what it has read.
    Transaction transaction = transactions.get();
    Meta meta = transaction.find(database, key);
    if (meta != null) {
      output.beginKey(key, meta.expiryMillis());
      ValueWriter.write(output, transaction, database, key, meta);
      keys++;
      onKey.accept(keys);
    }
  }
}
