package dev.varve.server.surface;

import java.util.ArrayList;
import java.util.List;

/** Of requests, those that did not fail for want of a read, and their replies. */
record CarriedOut(List<List<String>> requests, List<String> replies) {
  /** What EXEC says where something that is watched may have changed. */
  private static final List<String> ABORTED = List.of("*-1\r\n", "_\r\n");

  /**
   * An EXEC that fails does nothing, as DISCARD, nor does one where what is watched may have
   * changed: anything may have, where a disk has failed.
   */
  static CarriedOut of(List<List<String>> requests, List<String> replies) {
    CarriedOut its = new CarriedOut(new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < requests.size(); i++) {
      String reply = replies.get(i);
      boolean isExec = requests.get(i).equals(List.of("EXEC"));
      if (isExec && (FailingDisk.isUnread(reply) || ABORTED.contains(reply))) {
        its.add(List.of("DISCARD"), "+OK\r\n");
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
}
