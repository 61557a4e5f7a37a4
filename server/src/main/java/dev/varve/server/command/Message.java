package dev.varve.server.command;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What is sent to clients that is no reply: one for all who get it, so that it is in memory once
 * however many have yet to take it.
 *
 * <p>Any thread, where it says nothing else.
 */
public final class Message {

  /** What one takes besides its bytes, about. */
  private static final int HEAP_BYTES = 64;

  private final byte[] bytes;
  private final AtomicInteger keepers = new AtomicInteger();

  /** Of those whose commit it waits for. Keyspace loop. */
  private int holders;

  /**
   * @param bytes not to be changed
   */
  public Message(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return bytes.length;
  }

  /** What it takes in memory. */
  public int memory() {
    return bytes.length + HEAP_BYTES;
  }

  /** Somebody has it waiting; true for the first. */
  public boolean keep() {
    return keepers.getAndIncrement() == 0;
  }

  /** It waits there no longer; true for the last. */
  public boolean letGo() {
    return keepers.decrementAndGet() == 0;
  }

  /** Somebody holds it back until a commit is done; true for the first. Keyspace loop. */
  public boolean hold() {
    return holders++ == 0;
  }

  /** It is held back there no longer; true for the last. Keyspace loop. */
  public boolean release() {
    return --holders == 0;
  }
}
