package dev.varve.server.command.access;

import dev.varve.codec.Glob;
import dev.varve.server.command.Command;
import dev.varve.server.command.Rights.Denial;
import dev.varve.server.command.Rights.Denied;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One set of commands, keys and channels that a user may use together.
 *
 * <p>Changed by one thread until it is a user's, then by none: any thread may ask.
 */
final class Selector {
  private static final String STAR = "*";

  /** Whose arguments are channels, or patterns of channels, from the first one on. */
  private static final Set<String> CHANNELS = Set.of("subscribe", "ssubscribe");

  private static final Set<String> FIRST_IS_CHANNEL = Set.of("publish", "spublish");
  private static final String PATTERNS = "psubscribe";

  private final CommandRights commands;
  private final List<KeyPattern> keys = new ArrayList<>();
  private final Map<String, Glob> channels = new LinkedHashMap<>();
  private boolean areAllKeys;
  private boolean areAllChannels;

  Selector(Catalog catalog) {
    this.commands = new CommandRights(catalog);
  }

  private Selector(Selector other) {
    this.commands = other.commands.copy();
    this.keys.addAll(other.keys);
    this.channels.putAll(other.channels);
    this.areAllKeys = other.areAllKeys;
    this.areAllChannels = other.areAllChannels;
  }

  Selector copy() {
    return new Selector(this);
  }

  CommandRights commands() {
    return commands;
  }

  // Changes --------------------------------------------------------------------------------------

  void allowAllKeys() {
    keys.clear();
    areAllKeys = true;
  }

  void allowNoKeys() {
    keys.clear();
    areAllKeys = false;
  }

  boolean areAllKeys() {
    return areAllKeys;
  }

  void allowKeys(KeyPattern pattern) {
    for (int i = 0; i < keys.size(); i++) {
      if (keys.get(i).pattern().equals(pattern.pattern())) {
        keys.set(i, keys.get(i).with(pattern));
        return;
      }
    }
    keys.add(pattern);
  }

  void allowAllChannels() {
    channels.clear();
    areAllChannels = true;
  }

  void allowNoChannels() {
    channels.clear();
    areAllChannels = false;
  }

  boolean areAllChannels() {
    return areAllChannels;
  }

  void allowChannels(String pattern) {
    channels.putIfAbsent(pattern, new Glob(ByteText.bytes(pattern)));
  }

  // Questions ------------------------------------------------------------------------------------

  boolean isUnlimited() {
    return areAllKeys && areAllChannels && commands.areAll();
  }

  /** Why a request may not run, or null. */
  @Nullable Denial denial(Command command, Args request) {
    if (!commands.allows(command, request)) {
      return new Denial(Denied.COMMAND, 0);
    }
    Denial key = areAllKeys || KeySpecs.areChannels(command) ? null : keyDenial(command, request);
    return key != null || areAllChannels ? key : channelDenial(command, request);
  }

  private @Nullable Denial keyDenial(Command command, Args request) {
    for (int part : command.keyIndexes(request)) {
      KeySpecs.Use use = KeySpecs.use(command, request, part);
      if (!allowsKey(request.get(part), use)) {
        return new Denial(Denied.KEY, part);
      }
    }
    return null;
  }

  private boolean allowsKey(byte[] key, KeySpecs.Use use) {
    for (KeyPattern pattern : keys) {
      if (pattern.allows(key, use.isRead(), use.isChanged())) {
        return true;
      }
    }
    return false;
  }

  private @Nullable Denial channelDenial(Command command, Args request) {
    boolean arePatterns = command.name().equals(PATTERNS);
    int end;
    if (arePatterns || CHANNELS.contains(command.name())) {
      end = request.count();
    } else if (FIRST_IS_CHANNEL.contains(command.name())) {
      end = Math.min(2, request.count());
    } else {
      return null;
    }
    for (int part = 1; part < end; part++) {
      if (!allowsChannel(request.get(part), arePatterns)) {
        return new Denial(Denied.CHANNEL, part);
      }
    }
    return null;
  }

  /** Whether a channel is allowed; a pattern is only if it is one of those that are. */
  boolean allowsChannel(byte[] channel, boolean isPattern) {
    if (areAllChannels) {
      return true;
    }
    if (isPattern) {
      return channels.containsKey(ByteText.of(channel));
    }
    for (Glob pattern : channels.values()) {
      if (pattern.matches(channel)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a request may run, and read any key beside. */
  boolean readsAllKeys(Command command, Args request) {
    return denial(command, request) == null
        && (areAllKeys
            || keys.stream()
                .anyMatch(pattern -> pattern.mayRead() && pattern.pattern().equals(STAR)));
  }

  // As text --------------------------------------------------------------------------------------

  /** The keys as modifiers. */
  String describeKeys() {
    return areAllKeys ? "~*" : String.join(" ", keys.stream().map(KeyPattern::describe).toList());
  }

  /** The channels as modifiers. */
  String describeChannels() {
    return areAllChannels
        ? "&*"
        : String.join(" ", channels.keySet().stream().map(each -> '&' + each).toList());
  }

  /** All of it as modifiers. */
  String describe() {
    List<String> words = new ArrayList<>();
    words.add(describeKeys());
    words.add(areAllChannels ? "" : "resetchannels");
    words.add(describeChannels());
    words.add(commands.describe());
    return String.join(" ", words.stream().filter(word -> !word.isEmpty()).toList());
  }
}
