package dev.varve.server.net.loop;

import dev.varve.lsm.entry.ColdBlock;
import dev.varve.server.command.run.FirstKeys;
import dev.varve.server.resp.Args;
import java.util.List;

/**
 * Brings into memory what requests lack, on the event loop that runs them and without waiting.
 *
 * <p>Of one event loop, and used on it.
 */
final class ColdLoads {
  private final RingReads ring;
  private final FirstKeys firstKeys;

  /**
   * @param firstKeys knows what requests will look up first
   */
  ColdLoads(RingReads ring, FirstKeys firstKeys) {
    this.ring = ring;
    this.firstKeys = firstKeys;
  }

  /**
   * Brings the block that a request lacks, and what those behind it will, all at a time: a pipeline
   * of misses costs about as long as one.
   *
   * @param database the number that the requests behind will run in
   * @param then is told whether the first block is in memory, when all reads are done
   */
  void load(ColdBlock missing, int database, List<Args> behind, BlockReceiver then) {
    Joint joint = new Joint(then);
    ring.read(missing, joint.part(true));
    for (Args each : behind) {
      ColdBlock next = firstKeys.hasKey(each) ? firstKeys.missing(database, each) : null;
      if (next != null) {
        ring.read(next, joint.part(false));
      }
    }
    joint.allBegun();
  }

  /** Goes the way of a read once, without one, so that the first that comes is not the first. */
  void rehearse() {
    load(new RingRehearsal(), 0, List.of(), isLoaded -> {});
  }

  /** Waits for several reads. */
  private static final class Joint {
    private final BlockReceiver then;
    private int left = 1;
    private boolean isFirstLoaded;

    Joint(BlockReceiver then) {
      this.then = then;
    }

    BlockReceiver part(boolean isFirst) {
      left++;
      return isLoaded -> {
        isFirstLoaded |= isFirst && isLoaded;
        done();
      };
    }

    void allBegun() {
      done();
    }

    private void done() {
      if (--left == 0) {
        then.receive(isFirstLoaded);
      }
    }
  }
}
