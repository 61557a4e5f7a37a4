/** Placeholder. */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;
