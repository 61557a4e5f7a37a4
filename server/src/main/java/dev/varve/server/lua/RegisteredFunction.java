package dev.varve.server.lua;

import dev.varve.server.lua.run.LuaFunction;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A function as its library has registered it, tied to the engine that loaded the library. */
public record RegisteredFunction(
    String name, @Nullable String description, Set<ScriptFlag> flags, LuaFunction callback) {}
