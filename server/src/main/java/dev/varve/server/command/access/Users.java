package dev.varve.server.command.access;

import dev.varve.server.command.CommandTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All users of a server. There is always one, {@code default}, whom clients are that have said
 * nothing; as long as nobody says otherwise, it may do everything.
 *
 * <p>Any thread.
 */
public final class Users {
  public static final String DEFAULT = "default";

  private final Catalog catalog;
  private final User byDefault;
  private volatile Map<String, User> byName;
  private volatile boolean areChannelsOpen;

  /**
   * @param table all commands there are
   */
  public Users(CommandTable table) {
    this.catalog = new Catalog(table);
    this.byDefault = new User(DEFAULT, everything());
    this.byName = new TreeMap<>(Map.of(DEFAULT, byDefault));
  }

  private UserRules everything() {
    UserRules rules = nothing();
    rules.enable(true);
    rules.needNoPassword();
    rules.root().allowAllKeys();
    rules.root().allowAllChannels();
    rules.root().commands().allowAll();
    return rules;
  }

  private UserRules nothing() {
    return new UserRules(catalog, areChannelsOpen);
  }

  /** Whether users made from now on hear of all channels until it is said otherwise. */
  public void openChannels(boolean yes) {
    areChannelsOpen = yes;
  }

  public User byDefault() {
    return byDefault;
  }

  public Catalog catalog() {
    return catalog;
  }

  /** The user of a name, or null. */
  public @Nullable User find(String name) {
    return byName.get(name);
  }

  /** All of them, by their names. */
  public Collection<User> all() {
    return byName.values();
  }

  /**
   * Changes a user, who is made if there is none of that name.
   *
   * @throws RuleException naming the modifier that cannot be: then nothing has changed
   */
  public synchronized User set(String name, List<String> modifiers) throws RuleException {
    User user = byName.get(name);
    UserRules rules = user == null ? nothing() : user.rules().copy();
    Modifiers.apply(rules, modifiers);
    if (user == null) {
      user = new User(name, rules);
      Map<String, User> more = new TreeMap<>(byName);
      more.put(name, user);
      byName = more;
    } else {
      user.rules(rules);
    }
    return user;
  }

  /** Deletes a user, and gives it; null if there was none. */
  public synchronized @Nullable User delete(String name) {
    Map<String, User> fewer = new TreeMap<>(byName);
    User deleted = fewer.remove(name);
    byName = fewer;
    return deleted;
  }

  /** Has clients give this password to be the default user; empty: none. */
  public synchronized void defaultPassword(String password) {
    byDefault.rules(withPassword(byDefault.rules().copy(), password));
  }

  private static UserRules withPassword(UserRules rules, String password) {
    rules.resetPasswords();
    if (password.isEmpty()) {
      rules.needNoPassword();
    } else {
      rules.addPassword(Modifiers.digest(ByteText.of(password.getBytes(StandardCharsets.UTF_8))));
    }
    return rules;
  }

  /**
   * Whether there is nobody but the default user, who is as at first, with this password; empty:
   * with none.
   */
  synchronized boolean areAsAtFirst(String password) {
    String atFirst = withPassword(everything(), password).describe();
    return byName.size() == 1 && byDefault.rules().describe().equals(atFirst);
  }

  /**
   * Replaces all of them by those of {@code lines}, the default user by what it is at first if they
   * do not have it.
   *
   * @return those that are no longer there, or are others now
   * @throws RuleException naming the line that cannot be: then nothing has changed
   */
  public synchronized List<User> load(List<UserLines.Line> lines) throws RuleException {
    Map<String, UserRules> wanted = new TreeMap<>();
    for (UserLines.Line line : lines) {
      UserRules rules = nothing();
      try {
        Modifiers.apply(rules, line.modifiers());
      } catch (RuleException wrong) {
        throw new RuleException(line.where() + wrong.what());
      }
      if (wanted.put(line.name(), rules) != null) {
        throw new RuleException(
            line.where()
                + "Duplicate user '"
                + line.name()
                + "' found. A user can only be defined once");
      }
    }
    byDefault.rules(wanted.getOrDefault(DEFAULT, everything()));
    wanted.remove(DEFAULT);
    List<User> before = new ArrayList<>(byName.values());
    before.remove(byDefault);
    Map<String, User> all = new TreeMap<>(Map.of(DEFAULT, byDefault));
    wanted.forEach((name, rules) -> all.put(name, new User(name, rules)));
    byName = all;
    return before;
  }

  /**
   * Makes the users of a configuration, beside those there are; what it says of the default user
   * takes the place of all that was said of that.
   *
   * @throws RuleException naming the user that cannot be
   */
  public synchronized void configure(List<UserLines.Line> lines) throws RuleException {
    Set<String> names = new HashSet<>();
    for (UserLines.Line line : lines) {
      try {
        if (!names.add(line.name())) {
          throw new RuleException(
              "Duplicate user found. A user can only be defined once in config files");
        }
        if (line.name().equals(DEFAULT)) {
          byDefault.rules(nothing());
        }
        set(line.name(), line.modifiers());
      } catch (RuleException wrong) {
        throw new RuleException(line.where() + wrong.what());
      }
    }
  }

  /** Whether a name can be a user's. */
  public static boolean isName(String name) {
    return !ByteText.hasSpaces(name);
  }
}
