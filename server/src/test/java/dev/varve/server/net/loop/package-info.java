/** Tests of event loops, without sockets. */
@NullMarked
package dev.varve.server.net.loop;

import org.jspecify.annotations.NullMarked;
