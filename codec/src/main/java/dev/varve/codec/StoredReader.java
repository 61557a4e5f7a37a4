package dev.varve.codec;

import org.jspecify.annotations.Nullable;

/** Reads a stored value: of a transaction, with what it has written, or of a view. */
@FunctionalInterface
interface StoredReader {
  byte @Nullable [] get(byte[] stored);
}
