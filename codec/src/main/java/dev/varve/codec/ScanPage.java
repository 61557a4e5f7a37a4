package dev.varve.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one step of a walk over keys found.
 *
 * @param keys the keys that passed the filter
 * @param next the position to go on after, or null when the walk is at its end
 */
public record ScanPage(List<byte[]> keys, byte @Nullable [] next) {
  /**
   * What a step of a walk over keys, fields or members finds at most, or a little more: it is in
   * memory until it is replied, for many clients at a time. There the step ends, however many it
   * was to look at.
   */
  public static final long BYTES_MAX = Math.max(256 << 10, Runtime.getRuntime().maxMemory() / 512);

  /** What each of them takes besides its bytes. */
  public static final int ITEM_BYTES = 40;
}
