/** Tests, and what tests of the server use. */
@NullMarked
package dev.varve.server.resp;

import org.jspecify.annotations.NullMarked;
