package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Random work for a master, and whether those who follow it have the same afterwards. */
public final class Copies {
  private static final int BATCH_MAX = 40;
  private static final int DATABASES = 16;

  /** So often it is looked whether the other has come so far, or something has expired there. */
  private static final int LOOKS_MAX = 400;

  private static final int LOOK_MILLIS = 25;

  /** What changes the master itself, or waits, or takes long. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "ACL",
          "BGREWRITEAOF",
          "BGSAVE",
          "CLIENT",
          "CONFIG",
          "DEBUG",
          "FAILOVER",
          "HELLO",
          "MONITOR",
          "PFSELFTEST",
          "QUIT",
          "REPLICAOF",
          "RESET",
          "SAVE",
          "SHUTDOWN",
          "SLAVEOF",
          "SWAPDB",
          "WAIT");

  private Copies() {}

  static String ask(WireClient client, String... request) throws IOException {
    return ask(client, List.of(request));
  }

  static String ask(WireClient client, List<String> request) throws IOException {
    return client.ask(List.of(request)).get(0);
  }

  /**
   * Has the master do {@code count} random things, and loses the connections of replicas now and
   * then.
   */
  static void round(WireClient master, SplittableRandom random, int count) throws IOException {
    round(master, random, count, its -> true);
  }

  /** The same with those commands, by their names in upper case. */
  static void round(
      WireClient master, SplittableRandom random, int count, Predicate<String> commands)
      throws IOException {
    Words words = new Words(random, false);
    List<Form> forms = SurfaceDifferentialTest.forms();
    int sent = 0;
    while (sent < count) {
      List<List<String>> batch =
          FormRequests.batch(
              random,
              BATCH_MAX,
              its ->
                  add(its, forms.get(random.nextInt(forms.size())).make(words), random, commands));
      if (random.nextInt(60) == 0) {
        batch.add(List.of("CLIENT", "KILL", "TYPE", "replica"));
      }
      master.send(batch);
      for (int i = 0; i < batch.size(); i++) {
        master.read();
      }
      sent += batch.size();
    }
  }

  private static void add(
      List<List<String>> batch,
      List<List<String>> requests,
      SplittableRandom random,
      Predicate<String> commands) {
    for (List<String> request : requests) {
      String name = request.get(0).toUpperCase(Locale.ROOT);
      boolean isLeftOut =
          LEFT_OUT.contains(name)
              || !commands.test(name)
              || name.contains("SUBSCRIBE")
              || name.startsWith("BL")
              || name.startsWith("BR")
              || name.startsWith("BZ")
              || request.contains("BLOCK")
              // Told as it is: the last bit of a distance is each library's own.
              || request.contains("STOREDIST");
      if (isLeftOut) {
        continue;
      }
      if (random.nextInt(20) == 0) {
        List<String> script = new ArrayList<>();
        script.addAll(List.of("EVAL", "return redis.call(unpack(ARGV))", "0"));
        script.addAll(request);
        batch.add(script);
      } else {
        batch.add(request);
      }
    }
  }

  /** Waits until it is sent what its master writes. */
  static void awaitLink(WireClient replica) throws Exception {
    for (int i = 0; i < LOOKS_MAX; i++) {
      if (Replies.elements(ask(replica, "ROLE")).get(3).equals("$9\r\nconnected\r\n")) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    throw new AssertionError("there is no connection");
  }

  /** Waits until both are as far, from a moment on at which nobody writes. */
  public static void awaitOffset(WireClient master, WireClient replica) throws Exception {
    String theirs = "";
    String ours = "";
    for (int i = 0; i < LOOKS_MAX; i++) {
      theirs = Replies.elements(ask(master, "ROLE")).get(1);
      List<String> role = Replies.elements(ask(replica, "ROLE"));
      ours = role.get(4);
      if (role.get(3).equals("$9\r\nconnected\r\n") && ours.equals(theirs)) {
        return;
      }
      Thread.sleep(LOOK_MILLIS);
    }
    throw new AssertionError("the master is at " + theirs + ", who follows it at " + ours);
  }

  /** Waits until both are as far as the master, and fails where they do not have the same. */
  static void compare(WireClient master, WireClient expected, WireClient actual) throws Exception {
    awaitOffset(master, expected);
    awaitOffset(master, actual);
    compare(expected, actual);
  }

  /** Fails where they do not have the same. */
  public static void compare(WireClient expected, WireClient actual) throws Exception {
    for (int i = 0; i < DATABASES; i++) {
      String database = Integer.toString(i);
      awaitSame(actual, () -> difference(expected, actual, database));
    }
    awaitSame(actual, () -> differenceOfLibraries(expected, actual));
  }

  /** Says where they differ, or nothing. */
  private interface Look {
    @Nullable String difference() throws IOException;
  }

  /** Looks several times, for what expires is gone at two moments. */
  private static void awaitSame(WireClient actual, Look look) throws Exception {
    String difference = look.difference();
    for (int i = 0; difference != null && i < LOOKS_MAX; i++) {
      Thread.sleep(LOOK_MILLIS);
      difference = look.difference();
    }
    if (difference != null) {
      throw new AssertionError(actual + ": " + difference);
    }
  }

  private static @Nullable String difference(
      WireClient expected, WireClient actual, String database) throws IOException {
    return Content.of(expected, database).difference(Content.of(actual, database));
  }

  private static @Nullable String differenceOfLibraries(WireClient expected, WireClient actual)
      throws IOException {
    List<String> request = List.of("FUNCTION", "LIST", "WITHCODE");
    String theirs = ask(expected, request);
    String ours = ask(actual, request);
    return isSameSet(theirs, ours) ? null : Content.difference(request, theirs, ours);
  }

  private static boolean isSameSet(String theirs, String ours) {
    return new TreeSet<>(Replies.elements(theirs)).equals(new TreeSet<>(Replies.elements(ours)));
  }
}
