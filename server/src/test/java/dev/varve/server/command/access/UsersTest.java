package dev.varve.server.command.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandTester;
import dev.varve.server.command.Rights;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsersTest {
  private static final int ROUNDS = 500;

  private final CommandTester tester = new CommandTester();
  private final Users users = new Users(tester.table);

  private static byte[] bytes(String text) {
    return ByteText.bytes(text);
  }

  private Rights.@Nullable Denial denial(String user, String... words) {
    byte[][] parts = new byte[words.length][];
    for (int i = 0; i < words.length; i++) {
      parts[i] = bytes(words[i]);
    }
    Args request = new Args(parts, parts.length);
    Command command = users.catalog().of(request);
    User its = users.find(user);
    assertNotNull(command);
    assertNotNull(its);
    return its.denial(command, request);
  }

  private User set(String name, String... modifiers) throws RuleException {
    return users.set(name, List.of(modifiers));
  }

  @Test
  void atFirstThereIsOneWhoMayDoEverything() {
    assertEquals(1, users.all().size());
    assertTrue(users.byDefault().areUnlimited());
    assertTrue(users.byDefault().areOpen());
    assertNull(denial(Users.DEFAULT, "SET", "key", "value"));
  }

  @Test
  void aNewUserMayDoNothingAndIsProvenByNothing() throws RuleException {
    User user = set("new");
    assertFalse(user.isProvenBy(bytes("")));
    assertEquals(new Rights.Denial(Rights.Denied.COMMAND, 0), denial("new", "GET", "key"));
    assertNull(users.find("nobody"));
  }

  @Test
  void anyOfItsPasswordsProvesAUserThatIsOn() throws RuleException {
    User user = set("user", "on", ">one", ">two");
    assertTrue(user.isProvenBy(bytes("one")));
    assertTrue(user.isProvenBy(bytes("two")));
    assertFalse(user.isProvenBy(bytes("three")));
    set("user", "<one");
    assertFalse(user.isProvenBy(bytes("one")));
    set("user", "off");
    assertFalse(user.isProvenBy(bytes("two")));
    set("user", "on", "nopass");
    assertTrue(user.isProvenBy(bytes("anything")));
    set("user", "resetpass");
    assertFalse(user.isProvenBy(bytes("anything")));
  }

  @Test
  void oneSelectorHasToAllowAllOfARequest() throws RuleException {
    set("user", "+get", "~a*", "(+set %W~b)");
    assertNull(denial("user", "GET", "a1"));
    assertNull(denial("user", "SET", "b", "value"));
    assertEquals(new Rights.Denial(Rights.Denied.KEY, 1), denial("user", "GET", "b"));
    assertEquals(new Rights.Denial(Rights.Denied.KEY, 1), denial("user", "SET", "a1", "value"));
    // It would read what it may only write.
    assertEquals(
        new Rights.Denial(Rights.Denied.KEY, 1), denial("user", "SET", "b", "value", "GET"));
    assertEquals(new Rights.Denial(Rights.Denied.COMMAND, 0), denial("user", "DEL", "a1"));
  }

  /** Those that 7.0 does not have are not asked of redis-server. */
  @Test
  void fieldsThatExpireAreReadAndChangedAsTheHashIs() throws RuleException {
    set("reader", "+@all", "%R~*");
    set("writer", "+@all", "%W~*");
    Rights.Denial key = new Rights.Denial(Rights.Denied.KEY, 1);
    assertNull(denial("reader", "HTTL", "hash", "FIELDS", "1", "field"));
    assertEquals(key, denial("writer", "HTTL", "hash", "FIELDS", "1", "field"));
    assertEquals(key, denial("reader", "HEXPIRE", "hash", "1", "FIELDS", "1", "field"));
    assertNull(denial("writer", "HEXPIRE", "hash", "1", "FIELDS", "1", "field"));
    assertEquals(key, denial("reader", "HGETDEL", "hash", "FIELDS", "1", "field"));
    assertEquals(key, denial("writer", "HGETDEL", "hash", "FIELDS", "1", "field"));
  }

  @Test
  void aModifierThatCannotBeChangesNothing() throws RuleException {
    User user = set("user", "+get", "~a");
    String before = user.line();
    RuleException refused =
        assertThrows(RuleException.class, () -> set("user", "+set", "on", "+nothing"));
    assertEquals(
        "Error in ACL SETUSER modifier '+nothing': Unknown command or category name in ACL",
        refused.what());
    assertEquals(before, user.line());
    assertThrows(RuleException.class, () -> set("other", "what"));
    assertNull(users.find("other"));
  }

  @Test
  void whoHasAUserSeesItsNewRulesAtOnce() throws RuleException {
    User user = set("user", "+get", "~*");
    assertNull(denial("user", "GET", "key"));
    assertSame(user, set("user", "-get"));
    assertEquals(new Rights.Denial(Rights.Denied.COMMAND, 0), denial("user", "GET", "key"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a\tb", "a\0b", "a\nb"})
  void namesHaveNoSpaces(String name) {
    assertFalse(Users.isName(name));
  }

  /** Of random modifiers, also those that take away what others gave. */
  @Test
  void aLineMakesTheSameUserAgain() throws RuleException {
    long seed = Long.getLong("varve.seed", System.nanoTime());
    System.out.println("UsersTest -Dvarve.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      List<String> modifiers = new ArrayList<>(List.of("reset"));
      for (int i = random.nextInt(12); i > 0; i--) {
        modifiers.add(
            random.nextInt(6) == 0
                ? '(' + modifier(random) + ' ' + modifier(random) + ')'
                : modifier(random));
      }
      User user = tolerant(modifiers);
      String line = user.line();
      Users others = new Users(tester.table);
      others.load(UserLines.parse("file", line));
      User same = others.find("user");
      assertNotNull(same);
      assertEquals(line, same.line(), () -> modifiers + " of seed " + seed);
      for (Command command : users.catalog().all()) {
        Args request = new Args(new byte[][] {bytes("x"), bytes("1"), bytes("y")}, 3);
        assertEquals(
            user.rules().root().commands().allows(command, request),
            same.rules().root().commands().allows(command, request),
            () -> command.fullName() + " of " + modifiers + ", seed " + seed);
      }
    }
  }

  private User tolerant(List<String> modifiers) throws RuleException {
    User user = set("user");
    for (String modifier : modifiers) {
      try {
        set("user", modifier);
      } catch (RuleException afterAll) {
        assertTrue(afterAll.what().contains("Adding a pattern after the *"), afterAll.what());
      }
    }
    return user;
  }

  private String modifier(Random random) {
    String sign = random.nextBoolean() ? "+" : "-";
    List<Command> all = users.catalog().all();
    Command command = all.get(random.nextInt(all.size()));
    switch (random.nextInt(8)) {
      case 0 -> {
        return sign + "@all";
      }
      case 1, 2 -> {
        return sign + '@' + Catalog.CATEGORIES.get(random.nextInt(Catalog.CATEGORIES.size()));
      }
      case 3 -> {
        return "+set|" + random.nextInt(3);
      }
      case 4 -> {
        return List.of("~a*", "%R~b", "%W~b", "~*", "resetkeys").get(random.nextInt(5));
      }
      case 5 -> {
        return List.of("&a*", "&b", "&*", "resetchannels").get(random.nextInt(4));
      }
      default -> {
        return sign + command.fullName();
      }
    }
  }
}
