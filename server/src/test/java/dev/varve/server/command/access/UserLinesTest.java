package dev.varve.server.command.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UserLinesTest {
  private final Users users = new Users(new CommandTable());

  private List<User> load(String text) throws RuleException {
    return users.load(UserLines.parse("users.acl", text));
  }

  @Test
  void remarksAndEmptyLinesAreNoUsers() throws RuleException {
    load("# who\n\nuser bob on >pw ~a\r\n  user\talice  off\n");
    assertEquals(List.of("alice", "bob", "default"), List.copyOf(names()));
  }

  private List<String> names() {
    return users.all().stream().map(User::userName).toList();
  }

  @Test
  void thoseWhoAreNotInTheFileAreGone() throws RuleException {
    User carol = users.set("carol", List.of("on"));
    assertEquals(List.of(carol), load("user bob on"));
    assertNull(users.find("carol"));
    assertTrue(users.byDefault().areUnlimited());
    load("user default off -@all");
    assertTrue(!users.byDefault().areUnlimited());
    // Without a line it is again what it is at first.
    load("");
    assertTrue(users.byDefault().areOpen());
  }

  @Test
  void whatIsWrittenIsReadAgain() throws RuleException {
    users.set("bob", List.of("on", ">pw", "~a", "%R~\u00e9*", "&c", "(~x)"));
    String text = UserLines.format(users);
    load(text);
    assertEquals(text, UserLines.format(users));
  }

  @ParameterizedTest
  @ValueSource(strings = {"+select|a b", "+select|a\nuser b on nopass", "(+select|a\tb)"})
  void whatCouldNotBeReadAgainIsRefused(String modifier) throws RuleException {
    CommandTable table = new CommandTable();
    table.add(
        CommandGroup.CONNECTION,
        Command.named("select").arity(2).does((context, args) -> context.reply().ok()));
    Users its = new Users(table);
    its.set("a", List.of("+select|0"));
    RuleException refused =
        assertThrows(RuleException.class, () -> its.set("a", List.of(modifier)));
    assertTrue(refused.what().endsWith("': Syntax error"), refused.what());
  }

  @Test
  void aSelectorThatIsNotClosedIsNamedByItsFirstWordAsItCame() {
    RuleException refused =
        assertThrows(RuleException.class, () -> users.set("a", List.of("on", "(+get ~a", "~b")));
    assertEquals("Unmatched parenthesis in acl selector starting at '(+get ~a'.", refused.what());
  }

  /** As Redis has it: the first word behind his name would become that. */
  @Test
  void aUserWithoutANameIsReadAgainAsThat() throws RuleException {
    users.set("", List.of("on", ">pw", "~a"));
    String text = UserLines.format(users);
    load(text);
    assertEquals(List.of("", "default"), names());
    assertEquals(text, UserLines.format(users));
  }

  @ParameterizedTest
  @CsvSource({
    "'user a on\nsomebody b on', 'users.acl:2: should start with user keyword'",
    "'user', 'users.acl:1: should start with user keyword'",
    "'user a on\n\nuser b +nope', 'users.acl:3: Error in ACL SETUSER modifier ''+nope'''",
    "'user a on\nuser a off', 'users.acl:2: Duplicate user ''a'' found'",
    "'user a (+get', 'users.acl:1: Unmatched parenthesis'"
  })
  void aLineThatIsWrongIsNamedAndNothingChanges(String text, String why) throws RuleException {
    users.set("before", List.of("on"));
    RuleException refused = assertThrows(RuleException.class, () -> load(text));
    assertTrue(refused.what().startsWith(why), refused.what());
    assertEquals(List.of("before", "default"), names());
  }
}
