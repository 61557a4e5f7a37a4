package dev.varve.server.net.loop;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.lsm.entry.ColdBlock;
import dev.varve.wal.FilePlace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * A block that is never there: what reading one for the first time costs an event loop, in classes
 * that are loaded and calls that are linked, is paid with it while nobody waits.
 */
final class RingRehearsal implements ColdBlock, BlockLoad {
  /** No block of a tree has it. */
  private static final long ID = -1;

  private static final FilePlace NOTHING = new FilePlace("/dev/null", false);

  private final ByteBuf memory = Unpooled.directBuffer(2 * FilePlace.ALIGNMENT);
  private Runnable whenUnneeded = () -> {};

  @Override
  public long id() {
    return ID;
  }

  @Override
  public BlockLoad load() {
    return this;
  }

  @Override
  public FilePlace file() {
    return NOTHING;
  }

  @Override
  public long offset() {
    return 0;
  }

  @Override
  public int bytes() {
    return FilePlace.ALIGNMENT;
  }

  @Override
  public long address() {
    return memory.memoryAddress() + FilePlace.ALIGNMENT - 1 & -FilePlace.ALIGNMENT;
  }

  @Override
  public void whenUnneeded(Runnable listener) {
    whenUnneeded = listener;
  }

  @Override
  public boolean finish(int bytesRead) {
    memory.release();
    whenUnneeded.run();
    return false;
  }
}
