package dev.varve.server.net.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.resp.Args;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipelineReadAheadTest {
  private final PipelineReadAhead readAhead = new PipelineReadAhead();
  private final Deque<Object> requests = new ArrayDeque<>();

  @Test
  void thoseBehindTheOneThatWaitsAreReadForOnce() {
    add(10);
    assertEquals(List.of("k1", "k2", "k3", "k4", "k5", "k6", "k7"), behind());
    for (int i = 0; i < 6; i++) {
      run();
      assertEquals(List.of(), behind());
    }
    run();
    assertEquals(List.of("k8", "k9"), behind());
  }

  @Test
  void theLastOneHasNobodyBehindIt() {
    add(1);
    assertEquals(List.of(), behind());
    add(1);
    assertEquals(List.of("k0"), behind());
  }

  @Test
  void whatWasReadForThemIsKnownOfThoseAlone() {
    add(10);
    assertFalse(readAhead.isBrought());
    behind();
    for (int i = 0; i < 8; i++) {
      assertTrue(readAhead.isBrought());
      run();
    }
    assertFalse(readAhead.isBrought());
  }

  @Test
  void aRequestThatLacksBlockAfterBlockIsForAWorker() {
    add(2);
    for (int i = 0; i < 3; i++) {
      assertTrue(readAhead.mayLoad());
    }
    assertFalse(readAhead.mayLoad());
    run();
    assertTrue(readAhead.mayLoad());
  }

  @Test
  void whatIsNoRequestIsPassedOver() {
    add(2);
    requests.add(new Intake.ProtocolError("of some kind"));
    assertEquals(List.of("k1"), behind());
  }

  private void add(int count) {
    for (int i = 0; i < count; i++) {
      requests.add(Args.of("GET", "k" + i));
    }
  }

  private void run() {
    requests.remove();
    readAhead.next();
  }

  private List<String> behind() {
    return readAhead.behind(requests).stream().map(args -> args.text(1)).toList();
  }
}
