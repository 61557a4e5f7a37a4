package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import dev.varve.server.command.Rights;
import dev.varve.server.resp.Args;
import java.security.MessageDigest;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Somebody whom clients may be: a name, and the rules of this moment.
 *
 * <p>Any thread.
 */
public final class User implements Rights {
  private final String name;
  private volatile UserRules rules;

  User(String name, UserRules rules) {
    this.name = name;
    this.rules = rules;
  }

  UserRules rules() {
    return rules;
  }

  void rules(UserRules its) {
    rules = its;
  }

  @Override
  public String userName() {
    return name;
  }

  @Override
  public boolean areUnlimited() {
    return rules.isUnlimited();
  }

  @Override
  public boolean areOpen() {
    UserRules its = rules;
    return its.needsNoPassword() && its.isEnabled();
  }

  @Override
  public @Nullable Denial denial(Command command, Args request) {
    return rules.denial(command, request);
  }

  @Override
  public boolean readsAllKeys(Command command, Args request) {
    return rules.readsAllKeys(command, request);
  }

  /** Whether it may hear of a channel, or of all that a pattern matches. */
  public boolean allowsChannel(byte[] channel, boolean isPattern) {
    return rules.allowsChannel(channel, isPattern);
  }

  /** Whether somebody who gives this password is this user. */
  public boolean isProvenBy(byte[] password) {
    UserRules its = rules;
    byte[] given = ByteText.bytes(Modifiers.digest(ByteText.of(password)));
    boolean isRight = false;
    for (String digest : its.passwords()) {
      // Each of them, and each in the same time: that tells nothing of them.
      isRight |= MessageDigest.isEqual(given, ByteText.bytes(digest));
    }
    return its.isEnabled() && (isRight || its.needsNoPassword());
  }

  /** Whether it has no password, be it enabled or not. */
  public boolean needsNoPassword() {
    return rules.needsNoPassword();
  }

  /** All that is said of it, as a line of a file of users. */
  public String line() {
    return "user " + name + ' ' + rules.describe();
  }

  // For ACL GETUSER ------------------------------------------------------------------------------

  /** What a selector allows, as modifiers. */
  public record Allowed(String commands, String keys, String channels) {
    private static Allowed by(Selector selector) {
      return new Allowed(
          selector.commands().describe(), selector.describeKeys(), selector.describeChannels());
    }
  }

  public List<String> flags() {
    return rules.flags();
  }

  public List<String> passwordDigests() {
    return List.copyOf(rules.passwords());
  }

  /** What its root allows, and what each other selector does. */
  public List<Allowed> allowed() {
    UserRules its = rules;
    return Stream.concat(Stream.of(its.root()), its.selectors().stream()).map(Allowed::by).toList();
  }
}
