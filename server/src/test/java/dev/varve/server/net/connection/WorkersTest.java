package dev.varve.server.net.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import dev.varve.server.command.run.CommandExecutor;
import dev.varve.server.command.run.FirstKeys;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.command.run.Outcome;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class WorkersTest {
  @SuppressWarnings("NullAway") // who fails before it looks at it needs none
  private static final LongRun.Lease NOBODYS = new LongRun.Lease(null, null, null, null, null);

  private final CommandTester tester = new CommandTester();

  private final List<Workers.Result> results = new ArrayList<>();

  private Workers failingBy(Error failure) {
    return workers(
        () -> {
          throw failure;
        });
  }

  private Workers failingBy(RuntimeException failure) {
    return workers(
        () -> {
          throw failure;
        });
  }

  private Workers workers(Supplier<CommandExecutor> executors) {
    FirstKeys firstKeys = new FirstKeys(tester.table, tester.keyspace);
    return new Workers(Runnable::run, Runnable::run, reply -> executors.get(), firstKeys);
  }

  private String answer() {
    assertEquals(1, results.size());
    Workers.Result its = results.remove(0);
    assertEquals(Outcome.DONE, its.outcome());
    return new String(its.reply(), 0, its.replyBytes(), US_ASCII);
  }

  @Test
  void whoWaitsForAWorkerWithoutMemoryIsAnswered() {
    Workers workers = failingBy(new OutOfMemoryError("as a test wants it"));
    workers.run(tester.client(), Args.of("GET", "key"), 0, List.of(), results::add);
    assertEquals("-ERR out of memory\r\n", answer());
  }

  @Test
  void whoWaitsForAWorkerThatFailsOtherwiseIsToldSo() {
    Workers workers = failingBy(new IllegalStateException("as a test\nwants it"));
    workers.run(tester.client(), Args.of("GET", "key"), 0, List.of(), results::add);
    String internal =
        "-ERR internal error: java.lang.IllegalStateException: as a test wants it\r\n";
    assertEquals(internal, answer());
    workers.runLong(tester.client(), Args.of("EVAL", "script", "0"), NOBODYS, results::add);
    assertEquals(internal, answer());
  }

  @Test
  void aTransactionThatAWorkerFailsAtIsOver() {
    Workers workers = failingBy(new OutOfMemoryError("as a test wants it"));
    Session client = tester.client();
    client.queue().begin();
    workers.run(client, Args.of("EXEC"), 0, List.of(), results::add);
    assertEquals("-ERR out of memory\r\n", answer());
    assertFalse(client.queue().isOpen());
    client.queue().begin();
    workers.runLong(client, Args.of("EXEC"), NOBODYS, results::add);
    assertEquals("-ERR out of memory\r\n", answer());
    assertFalse(client.queue().isOpen());
  }
}
