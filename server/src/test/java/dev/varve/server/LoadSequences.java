package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.net.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The sequences that run while a server is killed: every structure, and transactions. */
final class LoadSequences {
  private static final int PADDING_LENGTH = 300;

  /** Longer than compression looks back, so that tables are about as long as what is in them. */
  private static final String NOISE =
      new Random(1)
          .ints(150_000, 'a', 'z' + 1)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();

  private LoadSequences() {}

  /** One of each kind, with keys of their own. */
  static List<LoadSequence> all() {
    return List.of(
        new CounterSteps(),
        new OverwriteSteps(),
        new PushSteps(),
        new QueueSteps(),
        new HashSteps(),
        new BigHashSteps(),
        new StreamSteps(),
        new TransferSteps());
  }

  /** The one whose writes leave the event loop, so that those of others wait for them. */
  static LoadSequence longWrites() {
    return new LongSteps();
  }

  /** The one that fills memtables fastest. */
  static LoadSequence overwrites() {
    return new OverwriteSteps();
  }

  /** The bulk strings of a reply, nested or not; an absent one is "". */
  static List<String> bulks(String reply) {
    List<String> found = new ArrayList<>();
    String[] lines = reply.split("\\|", -1);
    for (int i = 0; i < lines.length; i++) {
      if (lines[i].equals("$-1")) {
        found.add("");
      } else if (lines[i].startsWith("$")) {
        found.add(lines[++i]);
      }
    }
    return found;
  }

  private static long number(String reply) {
    return Long.parseLong(reply.replaceAll("[^-0-9]", ""));
  }

  private static String padded(long number) {
    int from = (int) (number * PADDING_LENGTH % (NOISE.length() - PADDING_LENGTH));
    return number + "-" + NOISE.substring(from, from + PADDING_LENGTH);
  }

  /** The number before the padding. */
  private static long head(String value) {
    return value.isEmpty() ? -1 : Long.parseLong(value.substring(0, value.indexOf('-')));
  }

  /** The step after the newest of these; every slot must hold its newest up to there. */
  private static long newest(String what, List<String> slots) {
    long newest = slots.stream().mapToLong(LoadSequences::head).max().orElse(-1);
    for (int slot = 0; slot < slots.size(); slot++) {
      long behind = Math.floorMod(newest - slot, (long) slots.size());
      long expected = Math.max(-1, newest - behind);
      assertEquals(expected, head(slots.get(slot)), what + " slot " + slot + " of " + newest);
    }
    return newest + 1;
  }

  /** A counter counts its own steps. */
  private static final class CounterSteps implements LoadSequence {
    @Override
    public String name() {
      return "counter";
    }

    @Override
    public String step(long index) {
      return "incr counter|";
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      return number(client.ask("incrby counter 0"));
    }
  }

  /** Each key is written over again and again: the newest value has to win. */
  private static final class OverwriteSteps implements LoadSequence {
    private static final int SLOTS = 1500;

    @Override
    public String name() {
      return "overwrites";
    }

    @Override
    public String step(long index) {
      return "set over:" + index % SLOTS + " " + padded(index) + "|";
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      StringBuilder request = new StringBuilder("mget");
      for (int slot = 0; slot < SLOTS; slot++) {
        request.append(" over:").append(slot);
      }
      return newest(name(), bulks(client.ask(request.toString())));
    }
  }

  /** A hash of more fields than are packed. */
  private static final class HashSteps implements LoadSequence {
    private static final int SLOTS = 700;

    @Override
    public String name() {
      return "hash";
    }

    @Override
    public String step(long index) {
      return "hset hash f" + index % SLOTS + " " + padded(index) + "|";
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      StringBuilder request = new StringBuilder("hmget hash");
      for (int slot = 0; slot < SLOTS; slot++) {
        request.append(" f").append(slot);
      }
      long steps = newest(name(), bulks(client.ask(request.toString())));
      assertEquals(Math.min(SLOTS, steps), number(client.ask("hlen hash")), "length of the hash");
      return steps;
    }
  }

  /** Pushed at one end; now and then all but the newest element are cut off. */
  private static final class PushSteps implements LoadSequence {
    private static final int STEPS_PER_CUT = 800;

    @Override
    public String name() {
      return "pushes";
    }

    @Override
    public String step(long index) {
      return isCut(index) ? "ltrim pushed -1 -1|" : "rpush pushed " + index + "|";
    }

    private static boolean isCut(long index) {
      return index % STEPS_PER_CUT == STEPS_PER_CUT - 1;
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      List<String> elements = bulks(client.ask("lrange pushed 0 -1"));
      if (elements.isEmpty()) {
        return 0;
      }
      long newest = Long.parseLong(elements.get(elements.size() - 1));
      long steps = elements.size() == 1 && isCut(newest + 1) ? newest + 2 : newest + 1;
      List<String> expected = new ArrayList<>();
      long cut = steps / STEPS_PER_CUT * STEPS_PER_CUT;
      if (cut > 0) {
        expected.add(Long.toString(cut - 2));
      }
      for (long pushed = cut; pushed <= newest; pushed++) {
        expected.add(Long.toString(pushed));
      }
      assertEquals(expected, elements, "after " + steps);
      return steps;
    }
  }

  /** Pushed at one end and, once it is long, popped at the other: a window over the numbers. */
  private static final class QueueSteps implements LoadSequence {
    private static final int WINDOW = 600;

    @Override
    public String name() {
      return "queue";
    }

    @Override
    public String step(long index) {
      String popped = index < WINDOW ? "nothing" : "queue";
      return "multi|rpush queue " + index + "|lpop " + popped + "|exec|";
    }

    @Override
    public int repliesPerStep() {
      return 4;
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      List<String> elements = bulks(client.ask("lrange queue 0 -1"));
      if (elements.isEmpty()) {
        return 0;
      }
      long newest = Long.parseLong(elements.get(elements.size() - 1));
      List<String> expected = new ArrayList<>();
      for (long pushed = Math.max(0, newest + 1 - WINDOW); pushed <= newest; pushed++) {
        expected.add(Long.toString(pushed));
      }
      assertEquals(expected, elements, "after " + newest);
      return newest + 1;
    }
  }

  /** A hash that grows, spreads, and is deleted whole: it may only ever be what it last was. */
  private static final class BigHashSteps implements LoadSequence {
    private static final int STEPS_PER_LIFE = 12;
    private static final int FIELDS_PER_STEP = 20;

    @Override
    public String name() {
      return "lives";
    }

    @Override
    public String step(long index) {
      long life = index / STEPS_PER_LIFE;
      long step = index % STEPS_PER_LIFE;
      if (step == STEPS_PER_LIFE - 1) {
        return "multi|del life|set lives " + (life + 1) + "|exec|";
      }
      StringBuilder request = new StringBuilder("multi|hset life");
      for (int field = 0; field < FIELDS_PER_STEP; field++) {
        request.append(' ').append(step * FIELDS_PER_STEP + field).append(' ').append(life);
      }
      return request.append("|set lives ").append(life).append("|exec|").toString();
    }

    @Override
    public int repliesPerStep() {
      return 4;
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      long fields = number(client.ask("hlen life"));
      String lives = bulks(client.ask("get lives")).get(0);
      long life = lives.isEmpty() ? 0 : Long.parseLong(lives);
      List<String> values = bulks(client.ask("hvals life"));
      assertEquals(fields, values.size(), "fields that are there and fields that are counted");
      assertEquals(0, fields % FIELDS_PER_STEP, "one HSET is whole");
      for (String value : values) {
        assertEquals(life, Long.parseLong(value), "a field of an earlier life");
      }
      return life * STEPS_PER_LIFE + fields / FIELDS_PER_STEP;
    }
  }

  /** A stream of the newest entries. */
  private static final class StreamSteps implements LoadSequence {
    private static final int LENGTH = 500;

    @Override
    public String name() {
      return "stream";
    }

    @Override
    public String step(long index) {
      return "xadd stream maxlen " + LENGTH + " " + (index + 1) + "-0 step " + index + "|";
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      List<String> found = bulks(client.ask("xrange stream - +"));
      if (found.isEmpty()) {
        return 0;
      }
      long steps = Long.parseLong(found.get(found.size() - 1)) + 1;
      List<String> expected = new ArrayList<>();
      for (long index = Math.max(0, steps - LENGTH); index < steps; index++) {
        expected.addAll(List.of(index + 1 + "-0", "step", Long.toString(index)));
      }
      assertEquals(expected, found, "after " + steps);
      assertEquals(Math.min(LENGTH, steps), number(client.ask("xlen stream")), "its length");
      return steps;
    }
  }

  /** Moves an amount between two accounts of different structures, and notes how often. */
  private static final class TransferSteps implements LoadSequence {
    private static final int MEMBERS = 300;

    @Override
    public String name() {
      return "transfers";
    }

    @Override
    public String step(long index) {
      long amount = index % 7 + 1;
      return "multi|decrby account:a "
          + amount
          + "|hincrby accounts b "
          + amount
          + "|zadd journal "
          + (index + 1)
          + " m"
          + index % MEMBERS
          + "|sadd noted n"
          + index % MEMBERS
          + "|exec|";
    }

    @Override
    public int repliesPerStep() {
      return 6;
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      List<String> latest = bulks(client.ask("zrevrange journal 0 0 withscores"));
      long steps = latest.isEmpty() ? 0 : Long.parseLong(latest.get(1));
      long rounds = steps / 7;
      long rest = steps % 7;
      long moved = rounds * 28 + rest * (rest + 1) / 2;
      client.send("incrby account:a 0|hincrby accounts b 0|");
      assertEquals(":" + -moved + "|:" + moved + "|", client.replies(2), steps + " transfers");
      long members = Math.min(MEMBERS, steps);
      client.send("zcard journal|scard noted|");
      assertEquals(":" + members + "|:" + members + "|", client.replies(2), "after " + steps);
      return steps;
    }
  }

  /**
   * Writes that take so long that they leave the event loop, and so much that they are applied
   * elsewhere: a large set is copied, and every other time without a part of it.
   */
  private static final class LongSteps implements LoadSequence {
    private static final int MEMBERS_PER_STEP = 2_000;
    private static final int STEPS_BEFORE = 10;
    private static final int MEMBERS = STEPS_BEFORE * MEMBERS_PER_STEP;

    @Override
    public String name() {
      return "long";
    }

    @Override
    public String step(long index) {
      if (index == 0) {
        return members("part", 0);
      }
      if (index <= STEPS_BEFORE) {
        return members("large", (int) (index - 1) * MEMBERS_PER_STEP);
      }
      String copy = isWhole(index) ? "sunionstore copy large" : "sdiffstore copy large part";
      return "multi|" + copy + "|set copies " + index + "|exec|";
    }

    private static String members(String set, int from) {
      StringBuilder request = new StringBuilder("multi|sadd ").append(set);
      for (int i = from; i < from + MEMBERS_PER_STEP; i++) {
        request.append(' ').append(i);
      }
      return request.append("|scard ").append(set).append("|exec|").toString();
    }

    private static boolean isWhole(long index) {
      return index % 2 == 0;
    }

    @Override
    public int repliesPerStep() {
      return 4;
    }

    @Override
    public long stepsFound(RawClient client) throws IOException {
      String copies = bulks(client.ask("get copies")).get(0);
      long large = number(client.ask("scard large"));
      if (copies.isEmpty()) {
        assertEquals(0, large % MEMBERS_PER_STEP, "one SADD is whole");
        assertEquals(":0|", client.ask("scard copy"), "nothing was copied");
        return large > 0 ? 1 + large / MEMBERS_PER_STEP : number(client.ask("exists part"));
      }
      assertEquals(MEMBERS, large);
      long index = Long.parseLong(copies);
      int part = isWhole(index) ? MEMBERS_PER_STEP : 0;
      long copied = MEMBERS - MEMBERS_PER_STEP + part;
      client.send("scard copy|sintercard 2 copy large|sintercard 2 copy part|");
      assertEquals(
          ":" + copied + "|:" + copied + "|:" + part + "|", client.replies(3), "copy " + index);
      return index + 1;
    }
  }
}
