/** Tests, and what tests of the server use. */
@NullMarked
package dev.varve.server.command;

import org.jspecify.annotations.NullMarked;
