package dev.varve.server.command.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.varve.codec.store.StoreView;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Session;
import dev.varve.server.command.TestCommands;
import dev.varve.server.command.session.ClientCommands;
import dev.varve.server.command.session.Clients;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class CommandExecutorTest {
  private final CommandTester tester =
      new CommandTester(
          (table, keyspace) -> {
            TestCommands.register(table);
            ConnectionCommands.register(table, keyspace);
            ClientCommands.register(table, new Clients(), keyspace, () -> 1_700_000_000_000L);
          });
  private final RespEncoder otherReply = new RespEncoder();

  private String otherReply() {
    String text = new String(otherReply.toByteArray(), StandardCharsets.ISO_8859_1);
    otherReply.clear(0);
    return text;
  }

  @Test
  void unknownCommandsGetRedissText() {
    assertEquals(
        "-ERR unknown command 'foo', with args beginning with: 'a' 'b' \r\n",
        tester.run("foo", "a", "b"));
    assertEquals(
        "-ERR unknown command 'foo', with args beginning with: '" + "x".repeat(128) + "' \r\n",
        tester.run("foo", "x".repeat(200), "y"));
    assertEquals(
        "-ERR unknown command 'foo', with args beginning with: 'a  bc' \r\n",
        tester.run("foo", "a\r\nbc"));
    assertEquals(
        "-ERR unknown subcommand 'foo'. Try CLIENT HELP.\r\n", tester.run("client", "foo", "bar"));
  }

  @Test
  void wrongArityGetsRedissText() {
    assertEquals(
        "-ERR wrong number of arguments for 'echo' command\r\n", tester.run("ECHO", "a", "b"));
    assertEquals(
        "-ERR wrong number of arguments for 'ping' command\r\n", tester.run("ping", "a", "b"));
    assertEquals("-ERR wrong number of arguments for 'client' command\r\n", tester.run("client"));
    assertEquals(
        "-ERR wrong number of arguments for 'client|setname' command\r\n",
        tester.run("client", "setname"));
  }

  @Test
  void namesOfCommandsAreKnownInAnyCase() {
    assertEquals("+PONG\r\n", tester.run("PiNg"));
    assertEquals("$2\r\nhi\r\n", tester.run("ping", "hi"));
    assertEquals(":1\r\n", tester.run("CLIENT", "Id"));
  }

  @Test
  void aPasswordIsAskedForBeforeAnythingElse() {
    tester.keyspace.users().defaultPassword("secret");
    Session stranger = new Session(9, "a", "b", 0, false);
    assertEquals("-NOAUTH Authentication required.\r\n", tester.run(stranger, "ping"));
    assertEquals(
        "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
        tester.run(stranger, "auth", "wrong"));
    assertEquals(
        "-WRONGPASS invalid username-password pair or user is disabled.\r\n",
        tester.run(stranger, "auth", "someone", "secret"));
    assertEquals("+OK\r\n", tester.run(stranger, "auth", "default", "secret"));
    assertEquals("+PONG\r\n", tester.run(stranger, "ping"));
    tester.run(stranger, "reset");
    assertEquals("-NOAUTH Authentication required.\r\n", tester.run(stranger, "ping"));
  }

  @Test
  void helloChoosesTheProtocol() {
    assertEquals("%7\r\n", tester.run("hello", "3").substring(0, 4));
    assertEquals("_\r\n", tester.run("t.get", "missing"));
    assertEquals("*14\r\n", tester.run("hello", "2").substring(0, 5));
    assertEquals("$-1\r\n", tester.run("t.get", "missing"));
    assertEquals("-NOPROTO unsupported protocol version\r\n", tester.run("hello", "4"));
    assertEquals(
        "-ERR Protocol version is not an integer or out of range\r\n", tester.run("hello", "a"));
    assertEquals("-ERR Syntax error in HELLO option 'foo'\r\n", tester.run("hello", "3", "foo"));
  }

  @Test
  void databasesAreApart() {
    assertEquals("+OK\r\n", tester.run("t.set", "key", "zero"));
    assertEquals("+OK\r\n", tester.run("select", "1"));
    assertEquals("$-1\r\n", tester.run("t.get", "key"));
    assertEquals("+OK\r\n", tester.run("select", "0"));
    assertEquals("$4\r\nzero\r\n", tester.run("t.get", "key"));
    assertEquals("-ERR DB index is out of range\r\n", tester.run("select", "16"));
    assertEquals("-ERR value is not an integer or out of range\r\n", tester.run("select", "a"));
  }

  @Test
  void aFailingCommandLeavesAnErrorAndNoHalfReply() {
    String reply = tester.run("t.fail");
    assertEquals("-ERR internal error in T.FAIL: ", reply.substring(0, 31));
    assertEquals(
        "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
        tester.run("t.wrong", "key"));
  }

  @Test
  void repliesCanBeTurnedOffAndSkipped() {
    assertEquals("", tester.run("client", "reply", "skip"));
    assertEquals("", tester.run("ping"));
    assertEquals("+PONG\r\n", tester.run("ping"));
    assertEquals("", tester.run("client", "reply", "off"));
    assertEquals("", tester.run("ping"));
    assertEquals("", tester.run("nonsense"));
    assertEquals("+OK\r\n", tester.run("client", "reply", "on"));
  }

  @Test
  void readersSendWritesToTheKeyspaceLoopAndReadWhatIsPublished() {
    CommandExecutor reader = tester.executor(Role.READER, otherReply);
    Session session = tester.session();
    assertEquals(Outcome.TO_KEYSPACE, reader.execute(session, Args.of("t.set", "key", "v"), false));
    assertEquals("", otherReply());
    tester.run("t.set", "key", "v");
    assertEquals(Outcome.DONE, reader.execute(session, Args.of("t.get", "key"), false));
    assertEquals("$1\r\nv\r\n", otherReply());
  }

  @Test
  void aColdReadIsFinishedByAWorker() {
    tester.run("t.set", "key", "v");
    tester.engine.makeCold();
    CommandExecutor reader = tester.executor(Role.READER, otherReply);
    Session session = tester.session();
    assertEquals(Outcome.COLD, reader.execute(session, Args.of("t.get", "key"), false));
    assertEquals("", otherReply());
    CommandExecutor worker = tester.executor(Role.WORKER, otherReply);
    assertEquals(Outcome.DONE, worker.execute(session, Args.of("t.get", "key"), false));
    assertEquals("$1\r\nv\r\n", otherReply());
    assertNull(worker.takeBroughtView());
    assertEquals(0, tester.engine.openViews.get());
  }

  @Test
  void aColdWriteIsTriedByAWorkerAndDoneByTheWriterOnce() {
    tester.run("t.add", "key", "1");
    tester.engine.makeCold();
    CommandExecutor writer = tester.executor(Role.WRITER, otherReply);
    CommandExecutor worker = tester.executor(Role.WORKER, otherReply);
    Session session = tester.session();
    Args args = Args.of("t.add", "key", "5");
    assertEquals(Outcome.COLD, writer.execute(session, args, false));
    assertEquals(Outcome.TRIED, worker.execute(session, args, false));
    assertEquals("", otherReply());
    StoreView warm = worker.takeBroughtView();
    assertNotNull(warm);
    assertEquals(Outcome.DONE, writer.execute(session, args, false));
    warm.close();
    assertEquals(":6\r\n", otherReply());
    assertEquals("$1\r\n6\r\n", tester.run("t.get", "key"));
    assertEquals(0, tester.engine.openViews.get());
  }

  @Test
  void aColdTransactionRunsAgainFromItsStart() {
    tester.run("t.add", "a", "1");
    tester.run("t.add", "b", "1");
    tester.engine.makeCold();
    CommandExecutor writer = tester.executor(Role.WRITER, otherReply);
    CommandExecutor worker = tester.executor(Role.WORKER, otherReply);
    Session session = tester.session();
    tester.run(session, "multi");
    tester.run(session, "t.add", "a", "1");
    tester.run(session, "select", "1");
    tester.run(session, "select", "0");
    tester.run(session, "t.add", "b", "1");
    Args exec = Args.of("exec");
    assertEquals(Outcome.COLD, writer.execute(session, exec, false));
    assertEquals(Outcome.TRIED, worker.execute(session, exec, false));
    StoreView warm = worker.takeBroughtView();
    assertNotNull(warm);
    assertEquals(Outcome.DONE, writer.execute(session, exec, false));
    warm.close();
    assertEquals("*4\r\n:2\r\n+OK\r\n+OK\r\n:2\r\n", otherReply());
    assertFalse(session.queue().isOpen());
  }

  @Test
  void writesWaitAndAreRefusedAsTheEngineSays() {
    CommandExecutor writer = tester.executor(Role.WRITER, otherReply);
    Session session = tester.session();
    Args set = Args.of("t.set", "key", "v");
    tester.engine.writeDelayMillis(5);
    assertEquals(Outcome.DELAYED, writer.execute(session, set, false));
    assertEquals(Outcome.DONE, writer.execute(session, set, true));
    tester.engine.writeDelayMillis(dev.varve.server.engine.Engine.WRITES_STOPPED);
    assertEquals(Outcome.DELAYED, writer.execute(session, set, true));
    assertEquals(Outcome.DONE, writer.execute(session, Args.of("t.get", "key"), false));
    tester.engine.writeDelayMillis(0);
    otherReply();
    tester.engine.writeRefusal("MISCONF disk full");
    assertEquals(Outcome.DONE, writer.execute(session, set, false));
    assertEquals("-MISCONF disk full\r\n", otherReply());
  }

  @Test
  void waitingCommandsGoToAWorker() {
    CommandExecutor writer = tester.executor(Role.WRITER, otherReply);
    CommandExecutor worker = tester.executor(Role.WORKER, otherReply);
    Session session = tester.session();
    assertEquals(Outcome.TO_WORKER, writer.execute(session, Args.of("t.slow"), false));
    assertEquals(Outcome.DONE, worker.execute(session, Args.of("t.slow"), false));
    assertEquals("+WORKED\r\n", otherReply());
  }
}
