/** Tests of what TLS is spoken with. */
@NullMarked
package dev.varve.server.net.tls;

import org.jspecify.annotations.NullMarked;
