package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import dev.varve.server.command.Rights.Denial;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that is said of a user.
 *
 * <p>Changed by one thread until it is a user's, then by none: any thread may ask.
 */
final class UserRules {
  private final Catalog catalog;
  private final boolean areChannelsOpen;
  private final Set<String> passwords = new LinkedHashSet<>();
  private final List<Selector> selectors = new ArrayList<>();
  private final Selector root;
  private boolean isEnabled;
  private boolean needsNoPassword;

  /** How RESTORE is to look at what this user brings, as it was said; it looks at all of it. */
  private @Nullable String sanitizing;

  /**
   * Of a new user, who may do nothing.
   *
   * @param areChannelsOpen whether a new selector allows all channels
   */
  UserRules(Catalog catalog, boolean areChannelsOpen) {
    this.catalog = catalog;
    this.areChannelsOpen = areChannelsOpen;
    this.root = newSelector();
  }

  private UserRules(UserRules other) {
    this.catalog = other.catalog;
    this.areChannelsOpen = other.areChannelsOpen;
    this.passwords.addAll(other.passwords);
    this.root = other.root.copy();
    other.selectors.forEach(selector -> selectors.add(selector.copy()));
    this.isEnabled = other.isEnabled;
    this.needsNoPassword = other.needsNoPassword;
    this.sanitizing = other.sanitizing;
  }

  UserRules copy() {
    return new UserRules(this);
  }

  Catalog catalog() {
    return catalog;
  }

  Selector root() {
    return root;
  }

  // Changes --------------------------------------------------------------------------------------

  Selector newSelector() {
    Selector selector = new Selector(catalog);
    if (areChannelsOpen) {
      selector.allowAllChannels();
    }
    return selector;
  }

  void add(Selector selector) {
    selectors.add(selector);
  }

  void clearSelectors() {
    selectors.clear();
  }

  void enable(boolean yes) {
    isEnabled = yes;
  }

  void needNoPassword() {
    needsNoPassword = true;
    passwords.clear();
  }

  void resetPasswords() {
    needsNoPassword = false;
    passwords.clear();
  }

  /** Takes the password of this digest, too. */
  void addPassword(String digest) {
    passwords.add(digest);
    needsNoPassword = false;
  }

  /** False if it was none. */
  boolean removePassword(String digest) {
    return passwords.remove(digest);
  }

  void sanitize(String word) {
    sanitizing = word;
  }

  // Questions ------------------------------------------------------------------------------------

  boolean isEnabled() {
    return isEnabled;
  }

  boolean needsNoPassword() {
    return needsNoPassword;
  }

  /** The digests of its passwords. */
  Set<String> passwords() {
    return passwords;
  }

  boolean isUnlimited() {
    return root.isUnlimited();
  }

  /** Of several selectors the denial that came last on its way. */
  @Nullable Denial denial(Command command, Args request) {
    Denial denial = root.denial(command, request);
    for (Selector selector : selectors) {
      if (denial == null) {
        return null;
      }
      Denial its = selector.denial(command, request);
      if (its == null || isLater(its, denial)) {
        denial = its;
      }
    }
    return denial;
  }

  private static boolean isLater(Denial one, Denial other) {
    int order = one.what().compareTo(other.what());
    return order > 0 || (order == 0 && one.part() > other.part());
  }

  boolean readsAllKeys(Command command, Args request) {
    return root.readsAllKeys(command, request)
        || selectors.stream().anyMatch(selector -> selector.readsAllKeys(command, request));
  }

  boolean allowsChannel(byte[] channel, boolean isPattern) {
    return root.allowsChannel(channel, isPattern)
        || selectors.stream().anyMatch(selector -> selector.allowsChannel(channel, isPattern));
  }

  // As text --------------------------------------------------------------------------------------

  /** What ACL GETUSER calls flags. */
  List<String> flags() {
    List<String> flags = new ArrayList<>();
    flags.add(isEnabled ? "on" : "off");
    if (needsNoPassword) {
      flags.add("nopass");
    }
    if (sanitizing != null) {
      flags.add(sanitizing);
    }
    return flags;
  }

  /** Those beside the root. */
  List<Selector> selectors() {
    return selectors;
  }

  /** All of it as modifiers that make a new user the same. */
  String describe() {
    StringBuilder text = new StringBuilder(String.join(" ", flags()));
    passwords.forEach(digest -> text.append(" #").append(digest));
    text.append(' ').append(root.describe());
    selectors.forEach(each -> text.append(" (").append(each.describe()).append(')'));
    return text.toString();
  }
}
