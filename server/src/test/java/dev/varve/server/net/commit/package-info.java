/** Tests of commits, without sockets. */
@NullMarked
package dev.varve.server.net.commit;

import org.jspecify.annotations.NullMarked;
