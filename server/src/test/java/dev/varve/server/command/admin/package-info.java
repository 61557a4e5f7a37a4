/** Tests of what tells about a server. */
@NullMarked
package dev.varve.server.command.admin;

import org.jspecify.annotations.NullMarked;
