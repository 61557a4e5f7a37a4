package dev.varve.server.lua.run;

import org.jspecify.annotations.Nullable;

/** What a function returns in place of a result when the last thing it does is to call another. */
record TailCall(LuaClosure function, @Nullable Object[] arguments) {}
