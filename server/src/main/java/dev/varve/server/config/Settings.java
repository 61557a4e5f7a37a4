package dev.varve.server.config;

import dev.varve.codec.Glob;
import dev.varve.codec.PackedLimits;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * The values of all parameters in one server.
 *
 * <p>Any thread.
 */
public final class Settings {
  private final Map<Parameter, Parameter.Value> values = new ConcurrentHashMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile RiskyChange riskyChange = (wanted, named) -> {};

  /** With every parameter at its default. */
  public Settings() {
    for (Parameter parameter : Parameters.byName().values()) {
      values.put(parameter, parameter.defaultValue());
    }
  }

  /** The number, size in bytes, index of the choice, or 1 for yes. */
  public long number(Parameter parameter) {
    return value(parameter).number();
  }

  /** A number that fits an int by its bounds. */
  public int integer(Parameter parameter) {
    return Math.toIntExact(value(parameter).number());
  }

  /** The text, as CONFIG GET shows it. */
  public String text(Parameter parameter) {
    return value(parameter).text();
  }

  private Parameter.Value value(Parameter parameter) {
    Parameter.Value value = values.get(parameter);
    if (value == null) {
      throw new IllegalArgumentException(parameter.name() + " is not in the table");
    }
    return value;
  }

  /**
   * Gives a parameter a value, at start: mutable or not.
   *
   * @throws ConfigException with Redis's text for what is wrong
   */
  public void set(Parameter parameter, String text) throws ConfigException {
    values.put(parameter, parameter.parse(parameter.merged(text(parameter), text)));
  }

  /** The directory is there: from now on it is named by its whole path, as Redis names it. */
  public void nameDirectoryInFull() {
    try {
      set(Parameters.DIRECTORY, text(Parameters.DIRECTORY));
    } catch (ConfigException checkedBefore) {
      throw new IllegalStateException(checkedBefore);
    }
  }

  /** Carries out what may fail of a change: where a server listens, and with which files. */
  @FunctionalInterface
  public interface RiskyChange {
    /**
     * Throws, and leaves all as it was, when it cannot.
     *
     * @param wanted the settings as they are to be
     * @param named what was given a value, the same one too, in this order
     */
    void to(Settings wanted, Collection<Parameter> named) throws ParameterException;
  }

  /**
   * Names who carries out what may fail of changes at run time: that comes before all else, so that
   * there is nothing to take back.
   */
  public void onRiskyChange(RiskyChange change) {
    riskyChange = change;
  }

  /** Throws what {@link #set(Map)} would, as far as that can be told from the values. */
  public void check(Map<Parameter, String> changes) throws ParameterException {
    parsed(changes);
  }

  private Map<Parameter, Parameter.Value> parsed(Map<Parameter, String> changes)
      throws ParameterException {
    Map<Parameter, Parameter.Value> parsed = new LinkedHashMap<>();
    for (Map.Entry<Parameter, String> change : changes.entrySet()) {
      Parameter parameter = change.getKey();
      if (!parameter.isMutable()) {
        throw new ParameterException(parameter, "can't set immutable config");
      }
      try {
        if (parameter.isGuarded() && areGuardedKept()) {
          throw new ConfigException("can't set protected config");
        }
        if (change.getValue().indexOf(CommandLine.NO_CHARACTER) >= 0) {
          // A password, say, would be another one than whoever has set it gives.
          throw new ConfigException("argument has bytes that are not UTF-8");
        }
        String text = parameter.merged(text(parameter), change.getValue());
        Parameter.Value value = parameter.parse(text);
        if (parameter.isFixed() && !value.equals(value(parameter))) {
          throw new ConfigException("it cannot change while the server runs");
        }
        parsed.put(parameter, value);
      } catch (ConfigException wrong) {
        throw new ParameterException(parameter, wrong.what());
      }
    }
    return parsed;
  }

  /** Gives several parameters values at once, or none. */
  public void set(Map<Parameter, String> changes) throws ParameterException {
    Map<Parameter, Parameter.Value> parsed = parsed(changes);
    Settings wanted = new Settings();
    wanted.values.putAll(values);
    wanted.values.putAll(parsed);
    riskyChange.to(wanted, parsed.keySet());
    synchronized (listeners) {
      // Or what one change has read of another's would be in force when both are through. Parsed
      // once more, as the other may have changed another part of the same value meanwhile.
      values.putAll(parsed(changes));
      listeners.forEach(Runnable::run);
    }
  }

  private boolean areGuardedKept() {
    Parameter whether = Parameters.find("enable-protected-configs");
    return whether != null && text(whether).equals("no");
  }

  /** A change was refused: says for which parameter and why. */
  public static final class ParameterException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Parameter parameter;

    public ParameterException(Parameter parameter, String what) {
      super(what);
      this.parameter = parameter;
    }

    public Parameter parameter() {
      return parameter;
    }
  }

  /**
   * Calls {@code listener} after each change at run time, on the thread that made it, and for one
   * change after the other: it is not to wait for anything.
   */
  public void onChange(Runnable listener) {
    listeners.add(listener);
  }

  /** Name and value of every parameter that {@code pattern} matches, in any case. */
  public Map<String, String> matching(String pattern) {
    Map<String, String> found = new LinkedHashMap<>();
    Parameter exact = Parameters.find(pattern);
    if (exact == Parameters.USER) {
      // Redis has no parameter of that name, and what was said of users has their passwords.
      return found;
    }
    if (exact != null) {
      found.put(pattern, text(exact));
      return found;
    }
    Glob glob = new Glob(pattern.getBytes(StandardCharsets.UTF_8), true);
    Parameters.byName()
        .forEach(
            (name, parameter) -> {
              if (!parameter.isHidden() && glob.matches(name.getBytes(StandardCharsets.UTF_8))) {
                found.put(name, text(parameter));
              }
            });
    return found;
  }

  /** When collections are spread. */
  public PackedLimits packedLimits() {
    return PackedParameters.limits(this);
  }

  /** Whether the server holds more memory than it is allowed, as it cannot work with so little. */
  public boolean isMemoryShort() {
    return MemoryPlan.isTooSmall(number(Parameters.MAXMEMORY));
  }

  /** Whether it is counted how often keys are used. */
  public boolean areUsesCounted() {
    return text(Parameters.MAXMEMORY_POLICY).endsWith("-lfu");
  }

  /** How many replicas are asked for before anything is written. */
  public long replicasWanted() {
    return number(Parameters.MIN_REPLICAS_MAX_LAG) > 0
        ? number(Parameters.MIN_REPLICAS_TO_WRITE)
        : 0;
  }

  /** For how long one of them may have said nothing. */
  public long replicaLagNanosMax() {
    return TimeUnit.SECONDS.toNanos(number(Parameters.MIN_REPLICAS_MAX_LAG));
  }

  /** The limits for what clients do not read. */
  public OutputBufferLimits outputBufferLimits() {
    try {
      return OutputBufferLimits.parse(text(Parameters.CLIENT_OUTPUT_BUFFER_LIMIT));
    } catch (ConfigException checkedBefore) {
      throw new IllegalStateException(checkedBefore);
    }
  }
}
