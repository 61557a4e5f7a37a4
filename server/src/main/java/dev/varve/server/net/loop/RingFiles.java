package dev.varve.server.net.loop;

import dev.varve.lsm.entry.BlockLoad;
import dev.varve.wal.FilePlace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a ring reads, opened when the first block of each is wanted and closed when its
 * table is.
 *
 * <p>Of one event loop, and used on it.
 */
final class RingFiles {
  private static final Logger LOG = LoggerFactory.getLogger(RingFiles.class);

  /** Of openat(2): names are whole paths. */
  private static final int NO_DIRECTORY = -100;

  private static final int O_CLOEXEC = 0x80000;
  private static final int O_DIRECT =
      System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;

  /** As the JDK names files. */
  private static final Charset NAMES =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  private static final int OPENING = -1;
  private static final int NOT_OPENED = -1;

  /** A file, perhaps not open yet. */
  private static final class RingFile {
    final String path;
    final ByteBuf name;
    final List<IntConsumer> waiting = new ArrayList<>();
    int result = OPENING;

    RingFile(String path, ByteBuf name) {
      this.path = path;
      this.name = name;
    }

    boolean isOpening() {
      return name.refCnt() > 0;
    }
  }

  private final IoRegistration ring;
  private final Executor loop;
  private final Executor closer;
  private final Map<String, RingFile> files = new HashMap<>();
  private final Map<Long, RingFile> opening = new HashMap<>();
  private long opens;
  private int closing;
  private @Nullable Runnable whenAllClosed;

  /**
   * @param loop runs a task on the event loop, if that goes on
   * @param closer closes files: with the last one who has it open a deleted file goes, which takes
   *     a while
   */
  RingFiles(IoRegistration ring, Executor loop, Executor closer) {
    this.ring = ring;
    this.loop = loop;
    this.closer = closer;
  }

  /** Hands on the descriptor of the file that is to be read, or a negative error, or later. */
  void open(BlockLoad load, IntConsumer receiver) {
    FilePlace place = load.file();
    RingFile file = files.get(place.path());
    if (file == null) {
      try {
        file = new RingFile(place.path(), name(place.path()));
      } catch (OutOfMemoryError noMemory) {
        LOG.warn("{} is read by workers for once: {}", place.path(), noMemory.toString());
        receiver.accept(NOT_OPENED);
        return;
      }
      files.put(place.path(), file);
      load.whenUnneeded(() -> loop.execute(() -> close(place.path())));
      begin(file, place.isDirect());
    }
    if (file.isOpening()) {
      file.waiting.add(receiver);
    } else {
      receiver.accept(file.result);
    }
  }

  /** Ends with a zero, as C has it. */
  private static ByteBuf name(String path) {
    byte[] bytes = path.getBytes(NAMES);
    return Unpooled.directBuffer(bytes.length + 1).writeBytes(bytes).writeByte(0);
  }

  private void begin(RingFile file, boolean isDirect) {
    long number = opens++;
    opening.put(number, file);
    int flags = O_CLOEXEC | (isDirect ? O_DIRECT : 0);
    ring.submit(
        RingOperation.OPEN.of(NO_DIRECTORY, 0, file.name.memoryAddress(), 0, flags, number));
  }

  /** An open is done: {@code result} is a descriptor or a negative error. */
  void opened(long number, int result) {
    RingFile file = opening.remove(number);
    if (file == null) {
      throw new IllegalStateException("no file is opened under number " + number);
    }
    file.name.release();
    file.result = result;
    if (result < 0) {
      LOG.warn("{} is read by workers: the ring cannot open it, error {}", file.path, -result);
    }
    file.waiting.forEach(receiver -> receiver.accept(result));
    file.waiting.clear();
  }

  private void close(String path) {
    RingFile file = files.remove(path);
    if (file == null || file.result < 0) {
      return;
    }
    closing++;
    closer.execute(
        () -> {
          close(path, file.result);
          loop.execute(this::closed);
        });
  }

  private void closed() {
    closing--;
    Runnable then = whenAllClosed;
    if (closing == 0 && then != null) {
      then.run();
    }
  }

  private static void close(String path, int descriptor) {
    try {
      new FileDescriptor(descriptor).close();
    } catch (IOException e) {
      LOG.warn("{} could not be closed: {}", path, e.getMessage());
    }
  }

  /** Closes all files, none of which is being opened or read, and says so. */
  void closeAll(Runnable then) {
    whenAllClosed = then;
    List.copyOf(files.keySet()).forEach(this::close);
    if (closing == 0) {
      then.run();
    }
  }
}
