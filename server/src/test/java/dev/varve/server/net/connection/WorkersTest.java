package dev.varve.server.net.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.run.FirstKeys;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkersTest {
  private final CommandTester tester = new CommandTester();

  @Test
  void whoWaitsForAWorkerWithoutMemoryIsAnswered() {
    Workers workers =
        new Workers(
            Runnable::run,
            reply -> {
              throw new OutOfMemoryError("as a test wants it");
            },
            new FirstKeys(tester.table, tester.keyspace));
    List<Workers.Result> results = new ArrayList<>();
    workers.run(tester.client(), Args.of("GET", "key"), 0, List.of(), results::add);
    assertEquals(1, results.size());
    assertEquals(Outcome.DONE, results.get(0).outcome());
    assertEquals(
        "-ERR out of memory\r\n",
        new String(results.get(0).reply(), 0, results.get(0).replyBytes(), US_ASCII));
  }
}
