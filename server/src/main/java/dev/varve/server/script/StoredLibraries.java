package dev.varve.server.script;

import dev.varve.codec.DataException;
import dev.varve.codec.Libraries;
import dev.varve.codec.Transaction;
import dev.varve.codec.store.StoreView;
import dev.varve.server.lua.FunctionEngine;
import dev.varve.server.lua.ScriptHost;
import dev.varve.server.lua.lib.ScriptRandom;
import dev.varve.server.lua.run.LuaLimits;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.ScriptRoom;
import dev.varve.server.lua.value.LuaString;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The libraries that a server finds when it starts. What is stored is their code alone: they run
 * once to say what functions they have.
 *
 * <p>Used by the thread that starts the server.
 */
public final class StoredLibraries implements ScriptHost {
  private static final Logger LOG = LoggerFactory.getLogger(StoredLibraries.class);

  private StoredLibraries() {}

  /** All libraries in a view. One that cannot be loaded stays, without its functions. */
  public static FunctionLibraries load(StoreView view) {
    List<byte[]> codes = Libraries.load(view);
    if (codes.isEmpty()) {
      return FunctionLibraries.NONE;
    }
    LoadedLibraries loaded =
        new LoadedLibraries(
            new FunctionEngine(
                LuaLimits.standard(),
                ScriptRoom.standard(),
                () -> {},
                new StoredLibraries(),
                new ScriptRandom()));
    FunctionLibraries libraries = FunctionLibraries.NONE;
    for (byte[] code : codes) {
      libraries = libraries.with(load(loaded, code));
    }
    return libraries;
  }

  /**
   * Stores a library by all of its code, which is not run.
   *
   * @throws DataException where that has no header
   */
  public static void put(Transaction transaction, byte[] code) {
    String name = LibraryHeader.of(code).name();
    Libraries.put(transaction, LuaString.of(name).bytes(), code);
  }

  /** Deletes all of these that are stored. */
  public static void deleteAll(Transaction transaction, FunctionLibraries libraries) {
    for (FunctionLibrary library : libraries.all()) {
      Libraries.delete(transaction, LuaString.of(library.name()).bytes());
    }
  }

  private static FunctionLibrary load(LoadedLibraries loaded, byte[] code) {
    try {
      return loaded.load(code, FunctionEngine.UNLIMITED);
    } catch (DataException refused) {
      LibraryHeader header = LibraryHeader.of(code);
      LOG.error("library {} has no functions now: {}", header.name(), refused.getMessage());
      return new FunctionLibrary(header.name(), code, List.of());
    }
  }

  // A library that is loaded calls no commands.

  @Override
  public @Nullable Object call(LuaState state, byte[][] arguments) {
    throw new IllegalStateException("no commands while a library is loaded");
  }

  @Override
  public void log(int level, LuaString message) {
    LOG.info("{}", message);
  }

  @Override
  public void setResp(int version) {}

  @Override
  public @Nullable Boolean mayRun(byte[][] arguments) {
    return null;
  }
}
