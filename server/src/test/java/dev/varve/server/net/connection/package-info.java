/** Tests of one connection, without sockets. */
@NullMarked
package dev.varve.server.net.connection;

import org.jspecify.annotations.NullMarked;
