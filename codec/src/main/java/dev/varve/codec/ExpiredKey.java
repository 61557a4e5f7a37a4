package dev.varve.codec;

/**
 * A key that a command came across, and that has expired. Immutable.
 *
 * @param database its number
 * @param key not to be changed
 */
public record ExpiredKey(int database, byte[] key) {}
