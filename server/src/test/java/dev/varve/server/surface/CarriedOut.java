package dev.varve.server.surface;

import dev.varve.server.command.Replies;
import java.util.ArrayList;
import java.util.List;

/** Of requests, those that did not fail for want of a read, and their replies. */
record CarriedOut(List<List<String>> requests, List<String> replies) {
  /** What EXEC says where something that is watched may have changed. */
  private static final List<String> ABORTED = List.of("*-1\r\n", "_\r\n");

  /**
   * Also of a transaction some may fail. An EXEC that fails does nothing, as DISCARD, nor does one
   * where what is watched may have changed: anything may have, where a disk has failed.
   */
  static CarriedOut of(List<List<String>> requests, List<String> replies) {
    CarriedOut its = new CarriedOut(new ArrayList<>(), new ArrayList<>());
    List<Integer> queued = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      String reply = replies.get(i);
      if (reply.equals("+QUEUED\r\n")) {
        queued.add(its.requests.size());
      }
      boolean isExec = requests.get(i).equals(List.of("EXEC"));
      if (isExec && (FailingDisk.isUnread(reply) || ABORTED.contains(reply))) {
        its.addExec(reply, queued);
      } else if (!FailingDisk.isUnread(reply)) {
        its.add(requests.get(i), reply);
      }
    }
    return its;
  }

  private void add(List<String> request, String reply) {
    requests.add(request);
    replies.add(reply);
  }

  private void addExec(String reply, List<Integer> queued) {
    if (!reply.startsWith("*") || ABORTED.contains(reply)) {
      add(List.of("DISCARD"), "+OK\r\n");
      return;
    }
    List<String> elements = new ArrayList<>(Replies.elements(reply));
    for (int i = elements.size() - 1; i >= 0; i--) {
      if (FailingDisk.isUnread(elements.get(i))) {
        elements.remove(i);
        int at = queued.get(i);
        requests.remove(at);
        replies.remove(at);
      }
    }
    add(List.of("EXEC"), "*" + elements.size() + "\r\n" + String.join("", elements));
  }
}
