package dev.varve.codec.store;

/**
 * The value of an entry for who is done with it before the next read from its view: it may be
 * written over then.
 *
 * @param array its bytes from the start, and perhaps others behind them; not to be handed on
 * @param length how many they are
 */
public record BriefValue(byte[] array, int length) {}
