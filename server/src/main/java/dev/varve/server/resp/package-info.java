/**
 * RESP, the Redis wire protocol: requests in, replies out, no sockets.
 *
 * <p>Words: a <em>request</em> is one command with its arguments ({@link
 * dev.varve.server.resp.Args}), sent as a <em>multi-bulk</em> (an array of bulk strings) or
 * <em>inline</em> (a line of words, quotes allowed). A <em>reply</em> is in the shape of RESP2 or
 * RESP3, as the client chose by HELLO.
 *
 * <p>Thread rule: a decoder and an encoder belong to one thread at a time; {@code Args} may be
 * handed on.
 *
 * <p>Imports Netty's buffers, and of Varve how integers are written.
 */
@NullMarked
package dev.varve.server.resp;

import org.jspecify.annotations.NullMarked;
