/** Tests of the server over real sockets. */
@NullMarked
package dev.varve.server.net;

import org.jspecify.annotations.NullMarked;
