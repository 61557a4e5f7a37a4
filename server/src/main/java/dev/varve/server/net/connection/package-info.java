/**
 * One connection, and what all connections share: requests come in, run in order, and their replies
 * go out.
 *
 * <p>Words: a connection's <em>own loop</em> is the one its socket belongs to. The <em>turn</em> is
 * the right to run a connection's requests, which travels with them: to the keyspace loop, to a
 * worker, and back. The connection is <em>parked</em> while its request waits, <em>choked</em>
 * while its client does not read. <em>Here</em> is the loop that has the turn.
 *
 * <p>What lives here:
 *
 * <ul>
 *   <li><b>Its beginning</b>: {@code NewClients} makes a client of whoever has connected; {@code
 *       ProtectedMode} says who is not let in, {@code WriteMarks} how much his socket is given.
 *   <li><b>Itself</b>: {@code Connection} is told what becomes of the socket, and begins and ends
 *       turns; {@code ResetCheck} sees a client that is gone.
 *   <li><b>Its turn</b>: {@code Turn} runs requests one after the other, and says where each goes
 *       on that does not end. {@code WaitTimeout} ends the wait of a client that is parked.
 *   <li><b>What comes in</b>: {@code Intake} decodes it, and keeps it while the turn is elsewhere.
 *       Long requests have a <em>place</em> in the {@code RequestRoom}, in order of arrival, or are
 *       not read on until they have.
 *   <li><b>What goes out</b>: {@code Replies} are taken from the loop that made them, and wait for
 *       their commit; {@code ClientOutput} sends them, by an {@code OutQueue} that hands the socket
 *       a little at a time, of what waits in an {@code UnreadQueue}. A {@code ReplyStream} is a
 *       reply too long to be made whole.
 *   <li><b>What runs elsewhere</b>: {@code Workers} run requests that need the disk, a {@code
 *       BroughtView} keeps what they have read, {@code PipelineReadAhead} thinks of the requests
 *       behind; {@code LongReplies} are the threads that make streams.
 *   <li><b>All connections</b>: {@code ConnectionContext} is what they share. A {@code SharedHeap}
 *       bounds what they take together, {@code Traffic} counts their bytes, each way in one {@code
 *       TransferCount}.
 * </ul>
 *
 * <p>Thread rule: whoever has the turn has the session and the requests; all else of a connection
 * is its own loop's, or the keyspace loop's where it waits for a commit or for keys. So there are
 * no locks, and each class says what is whose. What is shared is for any thread.
 *
 * <p>Imports {@code net.loop}, {@code net.commit} and {@code net.tls}; {@code resp}, {@code
 * command} and what runs and follows commands, {@code config} and {@code engine}; of {@code
 * dev.varve.codec} the views through which workers read, and how long a string may be.
 */
@NullMarked
package dev.varve.server.net.connection;

import org.jspecify.annotations.NullMarked;
