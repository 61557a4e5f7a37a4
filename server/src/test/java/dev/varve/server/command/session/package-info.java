/** Tests of the commands on sessions: MULTI, scripts, functions. */
@NullMarked
package dev.varve.server.command.session;

import org.jspecify.annotations.NullMarked;
