package dev.varve.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one step of a walk over keys found.
 *
 * @param keys the keys that passed the filter
 * @param next the position to go on after, or null when the walk is at its end
 */
public record ScanPage(List<byte[]> keys, byte @Nullable [] next) {}
