package dev.varve.codec;

/**
 * Stored keys that nobody asks for any more.
 *
 * @param start the first possible key of them
 * @param end the first possible key after them
 */
public record DeadRange(byte[] start, byte[] end) {}
