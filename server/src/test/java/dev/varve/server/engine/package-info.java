/** Tests, and what tests of the server use. */
@NullMarked
package dev.varve.server.engine;

import org.jspecify.annotations.NullMarked;
