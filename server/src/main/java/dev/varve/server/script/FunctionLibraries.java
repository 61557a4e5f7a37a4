package dev.varve.server.script;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which libraries of functions there are, and which function is in which.
 *
 * <p>Immutable, for any thread.
 */
public final class FunctionLibraries {
  public static final FunctionLibraries NONE = new FunctionLibraries(new TreeMap<>(), Map.of());

  /** A function and where it is. */
  public record Found(FunctionLibrary library, FunctionLibrary.Function function) {}

  private final SortedMap<String, FunctionLibrary> libraries;

  /** By the name in lower case: functions are called in any. */
  private final Map<String, Found> functions;

  private FunctionLibraries(
      SortedMap<String, FunctionLibrary> libraries, Map<String, Found> functions) {
    this.libraries = Collections.unmodifiableSortedMap(libraries);
    this.functions = functions;
  }

  /** All of them, by name. */
  public Collection<FunctionLibrary> all() {
    return libraries.values();
  }

  public int functionCount() {
    return functions.size();
  }

  public @Nullable FunctionLibrary library(String name) {
    return libraries.get(name);
  }

  /** The function that is called by this name. */
  public @Nullable Found function(String name) {
    return functions.get(name.toLowerCase(Locale.ROOT));
  }

  /** Without the library of this name, if there is one. */
  public FunctionLibraries without(String name) {
    if (!libraries.containsKey(name)) {
      return this;
    }
    SortedMap<String, FunctionLibrary> fewer = new TreeMap<>(libraries);
    fewer.remove(name);
    return of(fewer);
  }

  /** A function of a library whose name is taken by another library, or null. */
  public FunctionLibrary.@Nullable Function collision(FunctionLibrary library) {
    for (FunctionLibrary.Function function : library.functions()) {
      Found found = function(function.name());
      if (found != null && !found.library().name().equals(library.name())) {
        return function;
      }
    }
    return null;
  }

  /** With a library in the place of what has its name; there is no {@link #collision}. */
  public FunctionLibraries with(FunctionLibrary library) {
    SortedMap<String, FunctionLibrary> more = new TreeMap<>(libraries);
    more.put(library.name(), library);
    return of(more);
  }

  private static FunctionLibraries of(SortedMap<String, FunctionLibrary> libraries) {
    Map<String, Found> functions = new HashMap<>();
    for (FunctionLibrary library : libraries.values()) {
      for (FunctionLibrary.Function function : library.functions()) {
        functions.put(function.name().toLowerCase(Locale.ROOT), new Found(library, function));
      }
    }
    return new FunctionLibraries(libraries, functions);
  }
}
