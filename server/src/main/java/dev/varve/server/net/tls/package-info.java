/**
 * Encrypted connections: what TLS is spoken with, and where it stands in a socket's pipeline.
 *
 * <p>Words: the <em>identity</em> of a server is its certificate with those between it and its
 * authority, and its private key. A <em>context</em> is made of that and of the authorities whose
 * clients are taken; each connection has an engine of the context that it began with. The
 * <em>handshake</em> comes before all else that a client says.
 *
 * <p>What lives here: {@code TlsContext} is made of settings and put before a connection; {@code
 * Identity} is the server's own, of {@code Certificates} and a {@code PrivateKeyFile}. The protocol
 * itself is the JDK's, between Netty's handler and our own: what is behind it has plain bytes, and
 * knows nothing of it.
 *
 * <p>Thread rule: files are read by threads that may block; contexts are immutable, for any thread.
 * What a handshake calculates runs on a worker, since a signature takes a loop's millisecond.
 *
 * <p>Imports {@code config} alone.
 */
@NullMarked
package dev.varve.server.net.tls;

import org.jspecify.annotations.NullMarked;
