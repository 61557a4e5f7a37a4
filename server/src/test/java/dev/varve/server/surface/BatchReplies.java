package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Whether two servers replied alike to the same batches, and what was carried out.
 *
 * <p>Single-threaded.
 */
final class BatchReplies {
  private final Function<List<List<String>>, String> where;
  private final TreeSet<String> carriedOut = new TreeSet<>();

  /**
   * @param where says, for a message, where requests stand that were sent
   */
  BatchReplies(Function<List<List<String>>, String> where) {
    this.where = where;
  }

  /** The commands that did not fail; of some, with their first argument, too. */
  TreeSet<String> carriedOut() {
    return carriedOut;
  }

  void compare(List<List<String>> batch, WirePair.Both both) {
    List<String> expected = both.redis().replies();
    List<String> actual = both.varve().replies();
    if (expected.size() != batch.size() || actual.size() != batch.size()) {
      throw new AssertionError(where.apply(batch) + "\n" + expected + "\n" + actual);
    }
    List<List<String>> queued = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      List<String> request = batch.get(i);
      if (expected.get(i).equals("+QUEUED\r\n")) {
        queued.add(request);
      } else if (request.get(0).equals("EXEC") || request.get(0).equals("DISCARD")) {
        transaction(batch, i, queued, expected.get(i), actual.get(i));
        queued.clear();
        continue;
      }
      compare(batch, i, request, expected.get(i), actual.get(i));
    }
  }

  private void transaction(
      List<List<String>> batch, int at, List<List<String>> queued, String expected, String actual) {
    String head = "*" + queued.size() + "\r\n";
    if (!queued.isEmpty() && expected.startsWith(head) && actual.startsWith(head)) {
      List<String> its = Replies.elements(expected);
      List<String> ours = Replies.elements(actual);
      for (int i = 0; i < its.size(); i++) {
        compare(batch, at, queued.get(i), its.get(i), ours.get(i));
      }
    } else {
      compare(batch, at, batch.get(at), expected, actual);
    }
  }

  void compare(
      List<List<String>> batch, int at, List<String> request, String expected, String actual) {
    List<String> its = FormRequests.called(request);
    if (!Likeness.isSame(its, expected, actual)) {
      throw new AssertionError(
          where.apply(batch.subList(0, at + 1))
              + ("\nrequest " + request + "\nredis " + expected + "\nvarve " + actual)
                  .replace("\r\n", "|"));
    }
    if (!expected.startsWith("-") && !expected.startsWith("+QUEUED")) {
      String name = its.get(0).toLowerCase(Locale.ROOT);
      carriedOut.add(name);
      if (its.size() > 1) {
        carriedOut.add(name + "|" + its.get(1).toLowerCase(Locale.ROOT));
      }
    }
  }
}
