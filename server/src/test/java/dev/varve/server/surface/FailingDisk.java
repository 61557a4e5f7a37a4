package dev.varve.server.surface;

import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Call;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.RealStorageDirectory;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A directory on a disk that fails or hangs now and then, in calls of some kinds.
 *
 * <p>Belongs to one thread, but for {@link #directory}.
 */
final class FailingDisk {
  /** The calls that change a file, or a name. */
  static final List<Kind> CHANGES =
      List.of(
          Kind.CREATE,
          Kind.RENAME,
          Kind.DELETE,
          Kind.SYNC_DIRECTORY,
          Kind.WRITE,
          Kind.TRUNCATE,
          Kind.SYNC_FILE);

  private static final int CALLS_MAX = 40;
  private static final int SOME_BITS_MAX = 6;
  private static final int REST_MILLIS_MAX = 150;
  private static final int HANG_MILLIS_MAX = 600;

  /** The calls that read what is there. */
  static final List<Kind> READS = List.of(Kind.OPEN, Kind.LIST, Kind.LENGTH, Kind.READ);

  static final List<Kind> ALL = Stream.concat(CHANGES.stream(), READS.stream()).toList();

  /** What each failure says. */
  private static final String FAILURE = "a disk that fails";

  private final FailingStorageDirectory directory;
  private final List<Kind> failing;
  private final SplittableRandom random;

  /**
   * @param failing the calls that fail
   */
  FailingDisk(Path path, List<Kind> failing, SplittableRandom random) throws IOException {
    this(RealStorageDirectory.open(path), failing, random);
  }

  FailingDisk(StorageDirectory inner, List<Kind> failing, SplittableRandom random) {
    this.directory = new FailingStorageDirectory(inner);
    this.failing = failing;
    this.random = random;
  }

  /** Whether a reply, or one of EXEC's, says that nothing is written since the disk fails. */
  static boolean isRefusal(String reply) {
    return (reply.startsWith("-") && reply.contains("MISCONF")) || reply.contains("\r\n-MISCONF");
  }

  /** Whether a reply says that something could not be read. */
  static boolean isUnread(String reply) {
    return reply.startsWith("-") && reply.contains(FAILURE) && !isRefusal(reply);
  }

  /** Whether a reply is one of those errors. */
  static boolean isMeant(String reply) {
    return isRefusal(reply) || isUnread(reply);
  }

  /** What a server says of its disk, or nothing where all is well. */
  static String failure(WireClient client) throws IOException {
    String info = Copies.ask(client, "INFO", "persistence");
    return info.contains("aof_last_write_status:ok") ? "" : info;
  }

  StorageDirectory directory() {
    return directory;
  }

  /** It {@linkplain #failForAWhile fails} or {@linkplain #hangForAWhile hangs} for a while. */
  void ailForAWhile() throws InterruptedException {
    if (random.nextInt(4) == 0) {
      hangForAWhile();
    } else {
      failForAWhile();
    }
  }

  /** After a rest a call fails, or all do for a while, or some; then all is well. */
  private void failForAWhile() throws InterruptedException {
    Thread.sleep(random.nextInt(REST_MILLIS_MAX));
    Kind any = failing.get(random.nextInt(failing.size()));
    List<Kind> kinds = random.nextBoolean() ? failing : List.of(any);
    IOException failure = new IOException(FAILURE);
    if (random.nextBoolean()) {
      directory.failMatching(
          call -> kinds.contains(call.kind()), random.nextInt(CALLS_MAX), failure);
    } else {
      Predicate<Call> fails = some();
      directory.failAll(call -> kinds.contains(call.kind()) && fails.test(call), failure);
    }
    if (random.nextBoolean()) {
      directory.writeShort();
    }
    Thread.sleep(random.nextInt(REST_MILLIS_MAX));
    directory.heal();
  }

  /** After a rest no call comes back for a while, or none of a kind, or of some; then all do. */
  void hangForAWhile() throws InterruptedException {
    Thread.sleep(random.nextInt(REST_MILLIS_MAX));
    Kind any = failing.get(random.nextInt(failing.size()));
    List<Kind> kinds = random.nextBoolean() ? failing : List.of(any);
    Predicate<Call> hangs = some();
    CountDownLatch comeBack = new CountDownLatch(1);
    directory.failMatching(
        call -> {
          if (kinds.contains(call.kind()) && hangs.test(call)) {
            await(comeBack);
          }
          return false;
        },
        1,
        new IOException("none fails"));
    Thread.sleep(random.nextInt(HANG_MILLIS_MAX));
    directory.heal();
    comeBack.countDown();
  }

  private static void await(CountDownLatch comeBack) {
    try {
      comeBack.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  /** All calls, one of several, or all of some files. */
  private Predicate<Call> some() {
    int of = 1 << random.nextInt(SOME_BITS_MAX);
    int salt = random.nextInt();
    return random.nextBoolean()
        ? call -> ThreadLocalRandom.current().nextInt(of) == 0
        : call -> new SplittableRandom(call.file().hashCode() ^ salt).nextInt(of) == 0;
  }
}
