package dev.varve.server.command.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The last bytes of a stream, against all of them in one array. */
class BacklogTest {
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final long START = 1000;
  private static final int STEPS = 1000;
  private static final int READERS_MAX = 10;
  private static final long KEPT = 3L * Backlog.BLOCK_BYTES;

  private final Backlog backlog = new Backlog(START);
  private final ByteArrayOutputStream all = new ByteArrayOutputStream();

  /** One who reads, and what he has read. */
  private record Reading(Backlog.Reader reader, long from, ByteArrayOutputStream read) {}

  private Reading reading(long from) {
    return new Reading(backlog.reader(from), from, new ByteArrayOutputStream());
  }

  @Test
  void everyReaderReadsAllThatIsPublishedFromWhereItBegan() throws IOException {
    System.out.println("BacklogTest -Dvarve.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    List<Reading> readings = new ArrayList<>(List.of(reading(START)));
    Backlog.Mark mark = readings.get(0).reader().mark();
    Backlog.Mover mover = mark.mover();
    int moved = 0;
    for (int step = 0; step < STEPS; step++) {
      switch (random.nextInt(7)) {
        case 0 -> {
          byte[] more = new byte[random.nextInt(random.nextInt(20) == 0 ? 200_000 : 2_000)];
          random.nextBytes(more);
          all.write(more, 0, more.length);
          backlog.add(more, more.length);
          backlog.trim(KEPT);
        }
        case 1 ->
            backlog.publish(
                random.nextBoolean()
                    ? backlog.end()
                    : random.nextLong(backlog.published(), backlog.end() + 1));
        case 2 -> {
          long from = random.nextLong(backlog.start(), backlog.published() + 1);
          if (readings.size() < READERS_MAX) {
            readings.add(reading(from));
          }
        }
        case 3 -> {
          // Whoever is behind the mark can begin, however little is kept for others.
          mark.advance(random.nextLong(START, backlog.end() + 1));
          assertTrue(mark.offset() <= backlog.published());
          long from = random.nextLong(mark.offset(), backlog.end() + 1);
          if (readings.size() < READERS_MAX) {
            readings.add(new Reading(mark.reader(from), from, new ByteArrayOutputStream()));
          }
        }
        case 4 -> {
          long read = readings.stream().mapToLong(one -> one.reader().offset()).min().orElse(0);
          long unread = Math.min(read, mark.offset());
          long before = random.nextLong(START, backlog.end() + 1);
          long room = random.nextInt(3);
          moved += mover.move((block, end) -> put(block, room), unread, before) ? 1 : 0;
          assertTrue(mover.offset() <= backlog.published());
        }
        default -> {
          Reading one = readings.get(random.nextInt(readings.size()));
          boolean isBehind = one.reader().isBehind();
          assertEquals(isBehind, one.reader().read((bytes, at, to) -> write(one, bytes, at, to)));
        }
      }
      assertTrue(backlog.end() - backlog.start() >= Math.min(KEPT, all.size()));
      assertEquals(START + all.size(), backlog.end());
    }
    assertTrue(moved > 0, "something is moved");
    backlog.publish(backlog.end());
    byte[] wanted = all.toByteArray();
    for (Reading one : readings) {
      while (one.reader().read((bytes, at, to) -> write(one, bytes, at, to))) {
        assertTrue(one.reader().offset() <= backlog.end());
      }
      assertEquals(backlog.end(), one.reader().offset());
      assertEquals(
          Arrays.mismatch(
              Arrays.copyOfRange(wanted, (int) (one.from() - START), wanted.length),
              one.read().toByteArray()),
          -1);
    }
  }

  /** Where the block is not, but its bytes are. */
  private static Overflow.@Nullable Place put(byte[] block, long room) {
    byte[] copy = block.clone();
    return room == 0 ? null : () -> copy;
  }

  private static void write(Reading one, byte[] bytes, int from, int to) {
    assertTrue(from < to);
    one.read().write(bytes, from, to - from);
  }

  @Test
  void noMoreIsKeptThanIsAskedFor() {
    byte[] one = new byte[Backlog.BLOCK_BYTES / 2];
    for (int i = 0; i < 100; i++) {
      backlog.add(one, one.length);
      backlog.publish(backlog.end());
      backlog.trim(KEPT);
      assertTrue(backlog.end() - backlog.start() < KEPT + Backlog.BLOCK_BYTES);
    }
    assertThrows(IllegalArgumentException.class, () -> backlog.reader(backlog.start() - 1));
    assertThrows(IllegalArgumentException.class, () -> backlog.reader(backlog.end() + 1));
    assertEquals(backlog.end(), backlog.reader(backlog.end()).offset());
  }

  @Test
  void theBytesOfABlockThatWasMovedAreNotInMemoryAndAReaderGetsThemBack() throws IOException {
    byte[] three = new byte[3 * Backlog.BLOCK_BYTES];
    Arrays.fill(three, (byte) 7);
    Backlog.Reader reader = backlog.reader(START);
    backlog.add(three, three.length);
    backlog.publish(backlog.end());
    Backlog.Mark mark = reader.mark();
    Backlog.Mover mover = mark.mover();
    List<byte[]> blocks = new ArrayList<>();
    Overflow overflow =
        (block, end) -> {
          blocks.add(block);
          assertEquals(START + (long) blocks.size() * Backlog.BLOCK_BYTES, end);
          byte[] other = new byte[block.length];
          return () -> other;
        };
    assertTrue(mover.move(overflow, START, backlog.end()));
    assertTrue(mover.move(overflow, START, backlog.end()));
    assertFalse(mover.move(overflow, START, backlog.end()), "the last one is written to");
    assertTrue(reader.read((bytes, from, to) -> assertEquals(0, bytes[from])));
    Backlog.Mover late = mark.mover();
    assertTrue(reader.read((bytes, from, to) -> assertEquals(0, bytes[from])));
    assertTrue(reader.read((bytes, from, to) -> assertEquals(7, bytes[from])));
    assertFalse(late.move(overflow, reader.offset(), backlog.end()), "nobody reads what is left");
    assertEquals(2, blocks.size());
  }

  @Test
  void nobodyCanGoOnBeforeTheEndOfABlockThatCannotBeRead() throws IOException {
    byte[] three = new byte[3 * Backlog.BLOCK_BYTES];
    Backlog.Reader reader = backlog.reader(START);
    Backlog.Mark mark = reader.mark();
    backlog.add(three, three.length);
    backlog.publish(backlog.end());
    IOException failure = new IOException("Input/output error");
    Overflow.Place lost =
        () -> {
          throw failure;
        };
    assertTrue(mark.mover().move((block, end) -> lost, START, backlog.end()));
    assertTrue(mark.isReadable());
    assertThrows(IOException.class, () -> reader.read((bytes, from, to) -> {}));
    assertFalse(mark.isReadable());
    long end = START + Backlog.BLOCK_BYTES;
    assertFalse(backlog.isReadableFrom(end - 1));
    assertTrue(backlog.isReadableFrom(end));
    mark.advance(end);
    assertTrue(mark.isReadable());
  }

  @Test
  void whatIsNotPublishedIsKeptWhateverItTakes() {
    byte[] much = new byte[10 * Backlog.BLOCK_BYTES];
    backlog.add(much, much.length);
    backlog.trim(KEPT);
    assertEquals(START, backlog.start());
    assertFalse(backlog.reader(START).isBehind());
    backlog.publish(backlog.end());
    backlog.trim(KEPT);
    assertEquals(backlog.end() - KEPT, backlog.start());
  }
}
