/** Tests of what goes on beside requests, without sockets. */
@NullMarked
package dev.varve.server.net.background;

import org.jspecify.annotations.NullMarked;
