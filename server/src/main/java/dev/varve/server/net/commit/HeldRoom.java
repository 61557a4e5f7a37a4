package dev.varve.server.net.commit;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * The room for replies that wait for a commit, those of all connections together: many clients may
 * write in one pass, and ask for something long behind it. When it is full, who would run another
 * request waits as well, until the commit lets go of them.
 *
 * <p>Keyspace loop only.
 */
public final class HeldRoom {

  /** As what MULTI queues: the rest of the heap is for those who read and write. */
  private static final int HEAP_PART = 8;

  private final long bytesMax;
  private final Executor loop;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private long bytes;

  /**
   * @param loop runs a task on the keyspace loop after this pass
   */
  public HeldRoom(long heapBytesMax, Executor loop) {
    this.bytesMax = heapBytesMax / HEAP_PART;
    this.loop = loop;
  }

  /** The memory that a reply takes which waits, here or for its client. Any thread. */
  public static int memoryOf(ByteBuf reply) {
    // An encoder's array may be twice as long as the reply in it.
    return reply.hasArray() ? reply.array().length : reply.capacity();
  }

  public boolean isFull() {
    return bytes > bytesMax;
  }

  void taken(int replyBytes) {
    bytes += replyBytes;
  }

  void given(int replyBytes) {
    boolean wasFull = isFull();
    bytes -= replyBytes;
    if (wasFull && !isFull() && !waiting.isEmpty()) {
      loop.execute(this::runWaiting);
    }
  }

  /** Runs a task once there is room. Only while it is full: a commit is under way then. */
  public void await(Runnable task) {
    waiting.add(task);
  }

  private void runWaiting() {
    // Each takes room, and those behind it wait for the commit that is for that.
    while (!isFull() && !waiting.isEmpty()) {
      waiting.remove().run();
    }
  }
}
