package dev.varve.codec;

import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.StoreCursor;
import dev.varve.codec.store.StoreView;
import java.util.ArrayList;
import java.util.List;

/** The garbage records that there are. */
public final class GarbageRecords {
  private GarbageRecords() {}

  /** All of a view, in key order. */
  public static List<GarbageRecord> of(StoreView view) {
    List<GarbageRecord> records = new ArrayList<>();
    try (StoreCursor cursor = view.cursor(KeyFormat.endOf(KeyFormat.GARBAGE))) {
      boolean found = cursor.seek(new byte[] {KeyFormat.GARBAGE});
      while (found && cursor.key()[0] == KeyFormat.GARBAGE) {
        records.add(GarbageRecord.read(cursor.key(), cursor.value()));
        found = cursor.next();
      }
    }
    return records;
  }
}
