package dev.varve.compaction;

import dev.varve.lsm.entry.DeadEntryRule;
import dev.varve.lsm.entry.DeadRanges;
import dev.varve.lsm.entry.EntryCursor;
import dev.varve.lsm.entry.MergingCursor;
import dev.varve.lsm.entry.PassWalk;
import dev.varve.lsm.entry.ReadFailure;
import dev.varve.lsm.table.PassReads;
import dev.varve.lsm.version.TableMeta;
import dev.varve.lsm.version.Version;
import dev.varve.lsm.version.VersionEdit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a merge: closing it deletes whatever it wrote, unless it came to {@link #install}. For
 * one thread.
 */
final class MergeRun implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MergeRun.class);

  /** Size, pace and cancellation are looked at after so many bytes of keys and values. */
  private static final int RAW_BYTES_BETWEEN_CHECKS = 32 << 10;

  private final TableStore store;
  private final Plan plan;
  private final DeadEntryRule rule;
  private final Pacer pacer;
  private final DutyCycle duty;
  private final BooleanSupplier cancelled;
  private final long horizon;
  private final Version version;
  private final OutputCutter cutter;
  private final PassReads reads = new PassReads();
  private final List<TableMeta> outputs = new ArrayList<>();

  private @Nullable PassOutput open;
  private long chargedBytes;
  private boolean isHandedOver;
  private @Nullable PassWalk walk;
  private DeadRanges deadRanges = DeadRanges.UNTOLD;

  MergeRun(
      TableStore store,
      Plan plan,
      DeadEntryRule rule,
      CompactionOptions options,
      Pacer pacer,
      BooleanSupplier cancelled) {
    this.store = store;
    this.plan = plan;
    this.rule = rule;
    this.pacer = pacer;
    this.duty = pacer.begin();
    this.cancelled = cancelled;
    this.horizon = store.publishedSequence();
    this.version = store.version();
    this.cutter = new OutputCutter(version, plan.outputLevel(), options);
  }

  /** Merges the inputs into new tables. Returns false if it was cancelled. */
  boolean writeOutputs() throws IOException {
    try (DeadRanges dead = rule.deadRanges(horizon);
        EntryCursor input = openInputs()) {
      PassWalk entries =
          new PassWalk(
              store.order(),
              input,
              largestSequence(),
              horizon,
              dead,
              new TablesBelow(store, version, plan));
      walk = entries;
      deadRanges = dead;
      return write(entries, input);
    } catch (ReadFailure e) {
      throw e.getCause();
    }
  }

  private boolean write(PassWalk entries, EntryCursor input) throws IOException {
    if (cancelled.getAsBoolean()) {
      return false;
    }
    long rawBytes = 0;
    while (entries.next()) {
      PassOutput output = open;
      if (output != null && entries.keyIsNew() && cutter.cutsBefore(input, output)) {
        finish(output);
        output = null;
      }
      if (output == null) {
        output = store.createTable(reads);
        open = output;
        cutter.begins(input);
        chargedBytes = 0;
      }
      output.add(input);
      rawBytes += input.keyLength() + input.valueLength();
      if (rawBytes >= RAW_BYTES_BETWEEN_CHECKS) {
        rawBytes = 0;
        if (cancelled.getAsBoolean()) {
          return false;
        }
        charge(output.fileBytes());
      }
    }
    if (open != null) {
      finish(open);
    }
    return true;
  }

  private void finish(PassOutput output) throws IOException {
    TableMeta table = output.finish(deadRanges.areAll() ? horizon : leastDeadThrough());
    // Before it is let go of: it is deleted where there is no memory to remember it.
    outputs.add(table);
    open = null;
    charge(table.fileBytes());
  }

  private void charge(long fileBytes) {
    if (fileBytes > chargedBytes) {
      pacer.charge(fileBytes - chargedBytes, duty);
      chargedBytes = fileBytes;
    }
  }

  /** Puts the outputs in the inputs' place. */
  PassResult install(VersionEdit edit) throws IOException {
    for (TableMeta table : outputs) {
      edit.add(plan.outputLevel(), table);
    }
    if (!outputs.isEmpty()) {
      store.syncDirectory();
    }
    isHandedOver = true;
    store.install(edit);
    return result();
  }

  private PassResult result() {
    long entries = 0;
    long rawBytes = 0;
    for (PlacedTable placed : plan.inputs()) {
      entries += placed.table().entries();
      rawBytes += placed.table().rawBytes();
    }
    long bytesWritten = 0;
    for (TableMeta table : outputs) {
      entries -= table.entries();
      rawBytes -= table.rawBytes();
      bytesWritten += table.fileBytes();
    }
    PassWalk entriesWalked = Objects.requireNonNull(walk);
    long shadowed = entriesWalked.shadowedEntries();
    long spent = entriesWalked.spentTombstones();
    return new PassResult(
        plan,
        true,
        reads.bytes(),
        bytesWritten,
        plan.inputBytes() - bytesWritten,
        shadowed,
        entries - shadowed - spent,
        rawBytes - entriesWalked.shadowedRawBytes() - entriesWalked.spentRawBytes());
  }

  /** Of what died before that, the inputs have nothing. */
  private long leastDeadThrough() {
    long least = horizon;
    for (PlacedTable placed : plan.inputs()) {
      least = Math.min(least, placed.table().deadThrough());
    }
    return least;
  }

  private long largestSequence() {
    long largest = 0;
    for (PlacedTable placed : plan.inputs()) {
      largest = Math.max(largest, placed.table().largestSequence());
    }
    return largest;
  }

  /*
   * Tables of one deeper level are disjoint, so they are read one after another as one child: a
   * merge compares per source, and most of its input comes from one level.
   */
  private EntryCursor openInputs() throws IOException {
    List<EntryCursor> children = new ArrayList<>();
    try {
      for (int level = 0; level < Version.LEVELS; level++) {
        List<TableMeta> tables = new ArrayList<>();
        for (PlacedTable placed : plan.inputs()) {
          if (placed.level() == level) {
            tables.add(placed.table());
          }
        }
        if (level == 0) {
          for (TableMeta table : tables) {
            children.add(store.openForPass(table, reads));
          }
        } else if (!tables.isEmpty()) {
          tables.sort((a, b) -> store.order().compare(a.smallestKey(), b.smallestKey()));
          children.add(new PassRunCursor(store, version, tables, reads));
        }
      }
      return MergingCursor.of(store.order(), children);
    } catch (IOException | RuntimeException | Error e) {
      children.forEach(EntryCursor::close);
      throw e;
    }
  }

  @Override
  public void close() {
    if (open != null) {
      open.abandon();
      open = null;
    }
    if (isHandedOver) {
      return;
    }
    for (TableMeta table : outputs) {
      try {
        store.discard(table);
      } catch (IOException e) {
        LOG.warn("could not delete {}, which is tried again: {}", table.fileName(), e.getMessage());
      }
    }
  }
}
