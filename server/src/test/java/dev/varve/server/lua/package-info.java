/** Tests of scripts, most of them by asking a redis-server what is right. */
@NullMarked
package dev.varve.server.lua;

import org.jspecify.annotations.NullMarked;
