package dev.varve.server.command.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.RedisOracle;
import dev.varve.server.command.Replies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands have the arity, the keys and the flags that redis-server 7.0 tells of them: clients
 * route requests, and proxies split them, by what COMMAND says.
 */
class CommandShapeDifferentialTest {
  private static final List<CommandFlag> COMPARED =
      List.of(
          CommandFlag.WRITE,
          CommandFlag.READONLY,
          CommandFlag.DENYOOM,
          CommandFlag.FAST,
          CommandFlag.MOVABLEKEYS);

  /** Commands that later releases have given further arguments at their end. */
  private static final Set<String> LONGER_LATER = Set.of("zrank", "zrevrank");

  @TempDir private Path directory;

  @Test
  void shapesAreThoseOfRedis() throws Exception {
    List<String> expected = new ArrayList<>();
    List<String> found = new ArrayList<>();
    try (RedisOracle redis = RedisOracle.start(directory)) {
      for (Command command : new CommandTester().table.all()) {
        // What came after 7.0 has nothing to be compared with.
        boolean isNewer = command.since().compareTo("7.1") > 0;
        if (command.subcommands() == null && !isNewer) {
          String reply = redis.run("COMMAND", "INFO", command.name());
          String docs = Replies.elements(redis.run("COMMAND", "DOCS", command.name())).get(1);
          expected.add(shape(Replies.elements(Replies.elements(reply).get(0))) + told(docs));
          found.add(shape(command) + ' ' + command.since() + ' ' + command.group().label());
        }
      }
    }
    assertEquals(String.join("\n", expected), String.join("\n", found));
  }

  @Test
  void keysOfRequestsAreThoseOfRedis() throws Exception {
    try (RedisOracle redis = RedisOracle.start(directory)) {
      CommandTester tester =
          new CommandTester((table, keyspace) -> IntrospectionCommands.register(table));
      for (String request :
          List.of(
              "BITFIELD k",
              "BITFIELD k GET u8 0",
              "BITFIELD k OVERFLOW SAT get u8 0 GET u8 8",
              "BITFIELD k GET u8 0 INCRBY u8 0 1",
              "BITFIELD k SET u8 0 1",
              "BITFIELD k GET u8",
              "BITFIELD k OVERFLOW",
              "BITFIELD_RO k GET u8 0",
              "SET k v GET",
              "SET k v",
              "SSUBSCRIBE a b",
              "SUNSUBSCRIBE a",
              "SPUBLISH a b",
              "SUBSCRIBE a")) {
        for (String way : List.of("GETKEYS", "GETKEYSANDFLAGS")) {
          String[] parts = ("COMMAND " + way + ' ' + request).split(" ");
          assertEquals(redis.run(parts), tester.run(parts), String.join(" ", parts));
        }
      }
    }
  }

  /** MSETEX and DELIFEQ as Valkey 9.1, the others as Redis 8.4, by its documentation. */
  @Test
  void whatBecomesOfTheKeysOfLaterCommandsIsTold() {
    CommandTester told =
        new CommandTester((table, keyspace) -> IntrospectionCommands.register(table));
    for (String[] each :
        new String[][] {
          {"MSETEX 2 a 1 b 2 NX", "*2|*2|$1|a|*2|+OW|+update|*2|$1|b|*2|+OW|+update|"},
          {"DELIFEQ a x", "*1|*2|$1|a|*2|+RM|+delete|"},
          {"DELEX a", "*1|*2|$1|a|*2|+RM|+delete|"},
          {"DELEX a IFNE x", "*1|*2|$1|a|*3|+RW|+access|+delete|"},
          {"SET a x IFEQ 1", "*1|*2|$1|a|*3|+RW|+access|+update|"}
        }) {
      String[] request = ("COMMAND GETKEYSANDFLAGS " + each[0]).split(" ");
      assertEquals(each[1], told.run(request).replace("\r\n", "|"));
    }
  }

  private static String shape(List<String> info) {
    List<String> flags = Replies.elements(info.get(2));
    StringBuilder shape = new StringBuilder(Replies.text(info.get(0)));
    boolean isLonger = LONGER_LATER.contains(Replies.text(info.get(0)));
    int arity = Integer.parseInt(info.get(1).substring(1).strip());
    shape.append(' ').append(isLonger ? -arity : arity);
    for (int number : new int[] {3, 4, 5}) {
      shape.append(' ').append(info.get(number).substring(1).strip());
    }
    for (CommandFlag flag : COMPARED) {
      if (flags.contains("+" + flag.label() + "\r\n")) {
        shape.append(' ').append(flag.label());
      }
    }
    return shape.toString();
  }

  private static String told(String docs) {
    List<String> parts = Replies.elements(docs);
    StringBuilder told = new StringBuilder();
    for (String name : List.of("since", "group")) {
      for (int i = 0; i < parts.size(); i += 2) {
        if (Replies.text(parts.get(i)).equals(name)) {
          told.append(' ').append(Replies.text(parts.get(i + 1)));
        }
      }
    }
    return told.toString();
  }

  private static String shape(Command command) {
    StringBuilder shape = new StringBuilder(command.name());
    shape.append(' ').append(command.arity());
    shape.append(' ').append(command.firstKey());
    shape.append(' ').append(command.lastKey());
    shape.append(' ').append(command.keyStep());
    for (CommandFlag flag : COMPARED) {
      if (command.is(flag)) {
        shape.append(' ').append(flag.label());
      }
    }
    return shape.toString();
  }
}
