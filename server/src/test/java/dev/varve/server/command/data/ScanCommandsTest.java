package dev.varve.server.command.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.CommandTester;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ScanCommandsTest {
  private final CommandTester tester = new CommandTester();

  private List<String> scanAll(String... options) {
    List<String> keys = new ArrayList<>();
    String cursor = "0";
    do {
      String[] request = new String[2 + options.length];
      request[0] = "SCAN";
      request[1] = cursor;
      System.arraycopy(options, 0, request, 2, options.length);
      String[] lines = tester.run(request).split("\r\n");
      cursor = lines[2];
      for (int i = 5; i < lines.length; i += 2) {
        keys.add(lines[i]);
      }
    } while (!cursor.equals("0"));
    return keys;
  }

  @Test
  void scanInStepsFindsEveryKeyOnce() {
    List<String> all = new ArrayList<>();
    for (int i = 100; i < 400; i++) {
      tester.run("SET", "key:" + i, "v");
      all.add("key:" + i);
    }
    assertEquals(all, scanAll());
    assertEquals(all, scanAll("COUNT", "7", "TYPE", "STRING"));
    assertEquals(10, scanAll("MATCH", "key:12?").size());
    assertEquals(30, scanAll("MATCH", "*[5]?", "COUNT", "3").size());
    assertEquals(List.of(), scanAll("TYPE", "hash", "COUNT", "50"));
  }

  @Test
  void keysThatComeAndGoMeanwhileDisturbNoOther() {
    for (int i = 0; i < 100; i++) {
      tester.run("SET", "stays" + i, "v");
      tester.run("SET", "goes" + i, "v");
    }
    String cursor = tester.run("SCAN", "0", "COUNT", "50").split("\r\n")[2];
    for (int i = 0; i < 100; i++) {
      tester.run("DEL", "goes" + i);
    }
    String rest = tester.run("SCAN", cursor, "COUNT", "1000");
    assertTrue(rest.startsWith("*2\r\n$1\r\n0\r\n*100\r\n"), rest);
  }

  @Test
  void aScanFromBeforeARestartBeginsAnew() {
    for (int key = 0; key < 30; key++) {
      tester.run("SET", String.format("key:%02d", key), "value");
    }
    String page = tester.run("SCAN", "0", "COUNT", "10");
    String cursor = page.split("\r\n")[2];
    CommandTester restarted = tester.reopened();
    assertEquals(
        restarted.run("SCAN", "0", "COUNT", "30").split("\r\n", 4)[3],
        restarted.run("SCAN", cursor, "COUNT", "30").split("\r\n", 4)[3]);
    assertEquals(
        restarted.run("SCAN", "0", "COUNT", "30").split("\r\n", 4)[3],
        restarted.run("SCAN", "18446744073709551615", "COUNT", "30").split("\r\n", 4)[3]);
  }

  @Test
  void oldestCursorsAreForgottenByCountAndByBytes() {
    ScanCursors cursors = new ScanCursors(new SplittableRandom(1), 3, 10);
    long first = cursors.add(new byte[] {1});
    long second = cursors.add(new byte[] {2});
    long third = cursors.add(new byte[] {3});
    assertNotNull(cursors.place(first));
    cursors.add(new byte[] {4});
    assertNull(cursors.place(first));
    assertTrue(cursors.isGiven(first));
    assertFalse(cursors.isGiven(first - 1));
    assertArrayEquals(new byte[] {2}, cursors.place(second));
    long large = cursors.add(new byte[100]);
    assertNull(cursors.place(third));
    assertNotNull(cursors.place(large));
  }
}
