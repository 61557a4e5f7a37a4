package dev.varve.codec.string;

import dev.varve.codec.format.Slice;
import org.jspecify.annotations.Nullable;

/**
 * What SET with GET did.
 *
 * @param set whether the condition allowed it
 * @param previous the value before, or null if there was none
 */
public record SetOutcome(boolean set, @Nullable Slice previous) {}
