package dev.varve.server.script;

import dev.varve.codec.DataException;
import dev.varve.server.lua.FunctionEngine;
import dev.varve.server.lua.LoadFailedException;
import dev.varve.server.lua.RegisteredFunction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The libraries that one interpreter has loaded, kept like those that there are.
 *
 * <p>Used by the thread that has the interpreter.
 */
public final class LoadedLibraries {
  private static final Logger LOG = LoggerFactory.getLogger(LoadedLibraries.class);
  private static final DataException NO_FUNCTIONS =
      new DataException("ERR No functions registered");

  /** A library as it was loaded: the key that the engine knows it by, and its functions. */
  private record Loaded(String key, Map<String, RegisteredFunction> functions) {}

  private final FunctionEngine engine;
  private final Map<FunctionLibrary, Loaded> loaded = new HashMap<>();
  private FunctionLibraries current = FunctionLibraries.NONE;
  private @Nullable String failure;
  private long lastKey;

  public LoadedLibraries(FunctionEngine engine) {
    this.engine = engine;
  }

  /**
   * Forgets what was loaded and is not among these: libraries that others have taken the place of,
   * and those of commands that came to nothing.
   */
  public void forgetBut(FunctionLibraries inForce) {
    // What is asked for next may be in force again, by a transaction that is thrown away.
    current = FunctionLibraries.NONE;
    Set<FunctionLibrary> gone = new HashSet<>(loaded.keySet());
    inForce.all().forEach(gone::remove);
    gone.forEach(this::unload);
  }

  /**
   * Loads code that is not known yet. The library is kept until the next look at another set of
   * libraries that it is not in.
   *
   * @param millisMax how long it may take
   * @throws DataException with Redis's words when it is none
   */
  public FunctionLibrary load(byte[] code, long millisMax) {
    LibraryHeader header = LibraryHeader.of(code);
    List<FunctionLibrary.Function> functions = new ArrayList<>();
    Loaded itself;
    try {
      itself = load(code, header, millisMax);
    } catch (LoadFailedException failed) {
      throw DataException.quoting("ERR ", latin(String.valueOf(failed.getMessage())));
    }
    if (itself.functions.isEmpty()) {
      engine.unload(itself.key);
      throw NO_FUNCTIONS;
    }
    for (RegisteredFunction function : itself.functions.values()) {
      functions.add(
          new FunctionLibrary.Function(function.name(), function.description(), function.flags()));
    }
    FunctionLibrary library = new FunctionLibrary(header.name(), code, functions);
    loaded.put(library, itself);
    return library;
  }

  private Loaded load(byte[] code, LibraryHeader header, long millisMax)
      throws LoadFailedException {
    String key = Long.toString(++lastKey);
    byte[] body = Arrays.copyOfRange(code, header.begin(), code.length);
    Map<String, RegisteredFunction> functions = new HashMap<>();
    for (RegisteredFunction function : engine.load(key, body, millisMax)) {
      functions.put(function.name(), function);
    }
    return new Loaded(key, functions);
  }

  /** Forgets a library that nobody will call. */
  public void unload(FunctionLibrary library) {
    Loaded its = loaded.remove(library);
    if (its != null) {
      engine.unload(its.key);
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The function to run, of one of these libraries, which are loaded if need be. */
  public @Nullable RegisteredFunction function(
      FunctionLibraries libraries, FunctionLibraries.Found function) {
    if (libraries != current) {
      keep(libraries);
    }
    Loaded its = loaded.get(function.library());
    if (its == null && failure != null) {
      throw DataException.quoting("ERR ", latin(failure));
    }
    return its == null ? null : its.functions.get(function.function().name());
  }

  private void keep(FunctionLibraries libraries) {
    forgetBut(libraries);
    current = libraries;
    failure = null;
    for (FunctionLibrary library : libraries.all()) {
      if (!loaded.containsKey(library)) {
        try {
          LibraryHeader header = LibraryHeader.of(library.code());
          loaded.put(library, load(library.code(), header, FunctionEngine.UNLIMITED));
        } catch (LoadFailedException | DataException failed) {
          LOG.error("library {} cannot be loaded: {}", library.name(), failed.getMessage());
          // There may have been no memory for it: the next call tries again.
          current = FunctionLibraries.NONE;
          failure = String.valueOf(failed.getMessage());
        }
      }
    }
  }
}
