/** Tests of the parts of following another server that need no sockets. */
@NullMarked
package dev.varve.server.net.follow;

import org.jspecify.annotations.NullMarked;
