package dev.varve.perf.peer;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the disk itself gives: random reads of files by several threads at a time. */
final class DiskProbe {
  private static final int READ_BYTES = 16 << 10;

  /** No file system here has larger blocks. */
  private static final int ALIGNMENT_BYTES = 4 << 10;

  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");

  /** As proc(5) has it: page cache, dentries and inodes. */
  private static final String ALL_CACHES = "3";

  /** How it reads: as programs do, or past the page cache. */
  enum Way {
    BUFFERED(StandardOpenOption.READ),
    DIRECT(StandardOpenOption.READ, ExtendedOpenOption.DIRECT);

    private final Set<OpenOption> options;

    Way(OpenOption... options) {
      this.options = Set.of(options);
    }
  }

  /**
   * Reads random aligned pieces of 16 KiB of all files below {@code directory}. Returns reads per
   * second.
   */
  static double readsPerSecond(Path directory, Way way, int threads, int seconds)
      throws IOException {
    List<FileChannel> files = new ArrayList<>();
    try {
      try (Stream<Path> walked = Files.walk(directory)) {
        for (Path file : walked.filter(Files::isRegularFile).toList()) {
          if (Files.size(file) >= READ_BYTES) {
            files.add(FileChannel.open(file, way.options));
          }
        }
      }
      return measure(files, threads, seconds);
    } finally {
      for (FileChannel file : files) {
        file.close();
      }
    }
  }

  private static double measure(List<FileChannel> files, int threads, int seconds)
      throws IOException {
    long[] ends = new long[files.size()];
    long pieces = 0;
    for (int i = 0; i < ends.length; i++) {
      pieces += files.get(i).size() / READ_BYTES;
      ends[i] = pieces;
    }
    long all = pieces;
    AtomicLong reads = new AtomicLong();
    AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
    long start = System.nanoTime();
    long deadline = start + TimeUnit.SECONDS.toNanos(seconds);
    List<Thread> readers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      SplittableRandom random = new SplittableRandom(t);
      Thread reader =
          new Thread(
              () -> {
                ByteBuffer buffer =
                    ByteBuffer.allocateDirect(READ_BYTES + ALIGNMENT_BYTES)
                        .alignedSlice(ALIGNMENT_BYTES)
                        .limit(READ_BYTES)
                        .slice();
                try {
                  while (System.nanoTime() < deadline) {
                    read(files, ends, random.nextLong(all), buffer);
                    reads.incrementAndGet();
                  }
                } catch (IOException e) {
                  failure.set(e);
                }
              },
              "probe-" + t);
      reader.start();
      readers.add(reader);
    }
    for (Thread reader : readers) {
      join(reader);
    }
    IOException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    return reads.get() * 1e9 / (System.nanoTime() - start);
  }

  private static void read(List<FileChannel> files, long[] ends, long piece, ByteBuffer buffer)
      throws IOException {
    int file = 0;
    while (piece >= ends[file]) {
      file++;
    }
    long first = file == 0 ? 0 : ends[file - 1];
    files.get(file).read(buffer.clear(), (piece - first) * READ_BYTES);
  }

  private static void join(Thread thread) throws IOException {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Makes the system forget what it has read of any file; false if it may not be asked to. */
  static boolean dropCaches() {
    try {
      Files.writeString(DROP_CACHES, ALL_CACHES);
      return true;
    } catch (IOException notPermitted) {
      return false;
    }
  }

  private DiskProbe() {}
}
