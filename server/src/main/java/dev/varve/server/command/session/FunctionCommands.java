package dev.varve.server.command.session;

import static dev.varve.server.command.CommandFlag.ALLOW_BUSY;
import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.NOSCRIPT;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Glob;
import dev.varve.codec.Libraries;
import dev.varve.codec.dump.Dumps;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.run.LongRun;
import dev.varve.server.lua.FunctionEngine;
import dev.varve.server.lua.ScriptFlag;
import dev.varve.server.lua.value.LuaString;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import dev.varve.server.script.FunctionLibraries;
import dev.varve.server.script.FunctionLibrary;
import dev.varve.server.script.LibraryHeader;
import dev.varve.server.script.LoadedLibraries;
import dev.varve.server.script.ScriptRuns;
import dev.varve.server.script.StoredLibraries;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** FUNCTION: libraries in and out. Those that FCALL calls are in {@link ScriptCommands}. */
public final class FunctionCommands {
  private static final DataException NO_LIBRARY = new DataException("ERR Library not found");
  private static final DataException NO_PATTERN =
      new DataException("ERR library name argument was not given");
  private static final DataException FLUSH_OPTIONS =
      new DataException("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  private static final DataException RESTORE_POLICY =
      new DataException(
          "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
  private static final byte[] ENGINE = "LUA".getBytes(StandardCharsets.US_ASCII);

  private final Keyspace keyspace;

  private FunctionCommands(Keyspace keyspace) {
    this.keyspace = keyspace;
  }

  public static void register(CommandTable table, Keyspace keyspace) {
    FunctionCommands commands = new FunctionCommands(keyspace);
    ScriptRuns runs = keyspace.scriptRuns();
    table.add(
        CommandGroup.SCRIPTING,
        Command.named("function")
            .arity(-2)
            .since("7.0.0")
            .summary("Load and look at libraries, which are kept with the data")
            .subcommands(
                function("load", -3, "Keep a library of functions, given as code")
                    .flags(WRITE, DENYOOM)
                    .does(FunctionCommands::load),
                function("delete", 3, "Delete a library and its functions")
                    .flags(WRITE)
                    .does(FunctionCommands::delete),
                function("flush", -2, "Delete every library")
                    .flags(WRITE)
                    .does(FunctionCommands::flush),
                function("list", -2, "List libraries and their functions, with code if wanted")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(FunctionCommands::list),
                function("dump", 2, "Give all libraries as bytes that FUNCTION RESTORE takes")
                    .at(Command.Place.KEYSPACE_LOOP)
                    .does(FunctionCommands::dump),
                function(
                        "restore",
                        -3,
                        "Load the libraries that FUNCTION DUMP gave, here or in Redis")
                    .flags(WRITE, DENYOOM)
                    .does(FunctionCommands::restore),
                function(
                        "stats",
                        2,
                        "Tell which function runs and since when, and how many there are")
                    .flags(ALLOW_BUSY)
                    .does(commands::statistics),
                function("kill", 2, "Stop the function that runs, if it has not written")
                    .flags(ALLOW_BUSY)
                    .does((context, args) -> ScriptCommands.kill(context, runs, true))));
  }

  private static Command function(String name, int arity, String summary) {
    return Command.named(name).arity(arity).flags(NOSCRIPT).since("7.0.0").summary(summary);
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String latin(byte[] text) {
    return LuaString.wrap(text).toString();
  }

  private static void load(CommandContext context, Args args) {
    boolean replaces = false;
    int last = args.count() - 1;
    for (int i = 2; i < last; i++) {
      if (!args.is(i, "REPLACE")) {
        throw DataException.quoting("ERR Unknown option given: ", args.get(i));
      }
      replaces = true;
    }
    byte[] code = args.get(last);
    LibraryHeader header = LibraryHeader.of(code);
    FunctionLibraries libraries = context.libraries();
    if (!replaces && libraries.library(header.name()) != null) {
      throw alreadyExists("Library '" + header.name() + "'");
    }
    context.loadedLibraries().forgetBut(context.libraries());
    context.libraries(with(context, libraries, code, FunctionEngine.LOAD_MILLIS_MAX));
    Libraries.put(context.transaction(), latin(header.name()), code);
    context.reply().bulk(latin(header.name()));
  }

  private static DataException alreadyExists(String what) {
    return DataException.quoting("ERR ", latin(what), " already exists");
  }

  /** These libraries and the one that the code is. */
  private static FunctionLibraries with(
      CommandContext context, FunctionLibraries libraries, byte[] code, long millisMax) {
    LoadedLibraries loaded = context.loadedLibraries();
    FunctionLibrary library = loaded.load(code, millisMax);
    FunctionLibrary.Function collision = libraries.collision(library);
    if (collision != null) {
      loaded.unload(library);
      throw alreadyExists("Function " + collision.name());
    }
    return libraries.with(library);
  }

  private static void delete(CommandContext context, Args args) {
    String name = latin(args.get(2));
    if (context.libraries().library(name) == null) {
      throw NO_LIBRARY;
    }
    context.libraries(context.libraries().without(name));
    Libraries.delete(context.transaction(), args.get(2));
    context.reply().ok();
  }

  private static void flush(CommandContext context, Args args) {
    if (args.count() > 3) {
      throw Arguments.wrongSubcommand(args);
    }
    if (args.count() == 3 && !args.is(2, "SYNC") && !args.is(2, "ASYNC")) {
      throw FLUSH_OPTIONS;
    }
    StoredLibraries.deleteAll(context.transaction(), context.libraries());
    context.libraries(FunctionLibraries.NONE);
    context.reply().ok();
  }

  private static void list(CommandContext context, Args args) {
    boolean withCode = false;
    Glob pattern = null;
    for (int i = 2; i < args.count(); i++) {
      if (!withCode && args.is(i, "WITHCODE")) {
        withCode = true;
      } else if (pattern == null && args.is(i, "LIBRARYNAME")) {
        if (++i == args.count()) {
          throw NO_PATTERN;
        }
        pattern = new Glob(args.get(i), true);
      } else {
        throw DataException.quoting("ERR Unknown argument ", args.get(i));
      }
    }
    RespEncoder reply = context.reply();
    int array = reply.open();
    int count = 0;
    for (FunctionLibrary library : context.libraries().all()) {
      if (pattern == null || pattern.matches(latin(library.name()))) {
        show(reply, library, withCode);
        count++;
      }
    }
    reply.insertArray(array, count);
  }

  private static void show(RespEncoder reply, FunctionLibrary library, boolean withCode) {
    reply.map(withCode ? 4 : 3);
    reply.bulk("library_name");
    reply.bulk(latin(library.name()));
    reply.bulk("engine");
    reply.bulk(ENGINE);
    reply.bulk("functions");
    reply.array(library.functions().size());
    for (FunctionLibrary.Function function : library.functions()) {
      reply.map(3);
      reply.bulk("name");
      reply.bulk(latin(function.name()));
      reply.bulk("description");
      String description = function.description();
      if (description == null) {
        reply.nullBulk();
      } else {
        reply.bulk(latin(description));
      }
      reply.bulk("flags");
      reply.set(function.flags().size());
      for (ScriptFlag flag : function.flags()) {
        reply.status(flag.label());
      }
    }
    if (withCode) {
      reply.bulk("library_code");
      reply.bulk(library.code());
    }
  }

  private static void dump(CommandContext context, Args args) {
    List<byte[]> codes = new ArrayList<>();
    context.libraries().all().forEach(library -> codes.add(library.code()));
    context.reply().bulk(Dumps.dumpLibraries(codes));
  }

  private static void restore(CommandContext context, Args args) {
    if (args.count() > 4) {
      throw Arguments.wrongSubcommand(args);
    }
    boolean flushes = args.count() == 4 && args.is(3, "FLUSH");
    boolean replaces = args.count() == 4 && args.is(3, "REPLACE");
    if (args.count() == 4 && !flushes && !replaces && !args.is(3, "APPEND")) {
      throw RESTORE_POLICY;
    }
    context.loadedLibraries().forgetBut(context.libraries());
    // As Redis does: first what the payload is among itself, then beside what there is.
    FunctionLibraries given = FunctionLibraries.NONE;
    for (byte[] code : Dumps.libraries(args.get(2))) {
      String name = LibraryHeader.of(code).name();
      if (given.library(name) != null) {
        throw alreadyExists("Library '" + name + "'");
      }
      given = with(context, given, code, FunctionEngine.UNLIMITED);
    }
    FunctionLibraries all = flushes ? FunctionLibraries.NONE : context.libraries();
    for (FunctionLibrary library : given.all()) {
      if (all.library(library.name()) != null) {
        if (!replaces) {
          throw alreadyExists("Library " + library.name());
        }
        all = all.without(library.name());
      }
    }
    for (FunctionLibrary library : given.all()) {
      FunctionLibrary.Function collision = all.collision(library);
      if (collision != null) {
        throw alreadyExists("Function " + collision.name());
      }
    }
    if (flushes) {
      StoredLibraries.deleteAll(context.transaction(), context.libraries());
    }
    for (FunctionLibrary library : given.all()) {
      all = all.with(library);
      Libraries.put(context.transaction(), latin(library.name()), library.code());
    }
    context.libraries(all);
    context.reply().ok();
  }

  private void statistics(CommandContext context, Args args) {
    ScriptRuns.Run run = keyspace.scriptRuns().current();
    if (run != null && !run.isFunction()) {
      throw LongRun.BUSY_SCRIPT;
    }
    RespEncoder reply = context.reply();
    reply.map(2);
    reply.bulk("running_script");
    if (run == null) {
      reply.nullBulk();
    } else {
      reply.map(3);
      reply.bulk("name");
      reply.bulk(latin(run.name()));
      reply.bulk("command");
      reply.array(run.request().count());
      for (int i = 0; i < run.request().count(); i++) {
        reply.bulk(run.request().get(i));
      }
      reply.bulk("duration_ms");
      reply.integer(run.elapsedMillis());
    }
    FunctionLibraries libraries = context.libraries();
    reply.bulk("engines");
    reply.map(1);
    reply.bulk(ENGINE);
    reply.map(2);
    reply.bulk("libraries_count");
    reply.integer(libraries.all().size());
    reply.bulk("functions_count");
    reply.integer(libraries.functionCount());
  }
}
