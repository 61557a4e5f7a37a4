/**
 * Commands as data, and what a command is given. No sockets, no Vert.x: all of it can be run from a
 * test. Packages below, each of which knows those before it: {@code access} has who may do what,
 * {@code listen} those who want to know what happens to keys, {@code lead} what replicas are told,
 * {@code observe} those who look on, {@code run} the keyspace and what runs commands; {@code data},
 * {@code session}, {@code replication}, {@code cluster} and {@code admin} are the commands
 * themselves.
 *
 * <p>Words: a <em>group</em> is one class that registers the commands of one of Redis's groups. A
 * <em>trial</em> is a run whose reply and writes are thrown away: on a worker, to bring into memory
 * what the command will read, or on the keyspace loop, as the <em>rehearsal</em> of a transaction
 * in which something must run once only.
 *
 * <p>What lives here:
 *
 * <ul>
 *   <li><b>Commands as data</b>: the {@code CommandTable} has each {@code Command} with its flags,
 *       its documentation, where its keys are ({@code KeyFinder}), and its {@code CommandFunction}.
 *   <li><b>What a function is given</b>: its {@code CommandContext}, and {@code Arguments} to read
 *       the request.
 *   <li><b>Clients</b>: a {@code Session} is one as commands see it, with its {@code
 *       QueuedCommands} (MULTI), its {@code Watch}, its {@code Subscriptions}, its {@code
 *       TrackingState} and its {@code Wait}, and what a run leaves for the {@code NextRun}; its
 *       {@code Rights} are what its user may do, a {@code ClientConnection} is one as the rest of
 *       the server acts on it. A {@code Message} is what they get that is no reply.
 *   <li><b>What is counted</b> of commands on one thread: {@code CommandStatistics}.
 * </ul>
 *
 * <h2>How to write a group</h2>
 *
 * <pre>{@code
 * public final class StringCommands {
 *   private static final DataException NOT_POSITIVE =
 *       new DataException("ERR value is out of range, must be positive");
 *
 *   public static void register(CommandTable table) {
 *     table.add(
 *         CommandGroup.STRING,
 *         Command.named("getrange")             // lower case
 *             .arity(4)                         // parts, the name included; -4: at least 4
 *             .flags(READONLY)                  // or WRITE, and Redis's others: DENYOOM, FAST
 *             .keys(1, 1, 1)                    // first, last (-1: the last part), step
 *             .since("2.4.0")
 *             .summary("Give the bytes between two offsets; negative ones count from the end")
 *             .does(StringCommands::getRange)); // or a method of an instance that has settings
 *   }
 *
 *   private static void getRange(CommandContext context, Args args) {
 *     long start = Arguments.integer(args, 2);  // throws Redis's error
 *     long end = Arguments.integer(args, 3);
 *     StringRange found =
 *         Strings.getRange(context.transaction(), context.database(), args.get(1), start, end);
 *     StringReply.bulk(context.reply(), found);
 *   }
 * }
 * }</pre>
 *
 * <p>The rules behind it:
 *
 * <ul>
 *   <li><b>Flags decide where it runs and what it has.</b> READONLY: any loop, {@code
 *       context.transaction()} reads. WRITE: the keyspace loop, it also writes; what it wrote is
 *       applied when the function returns, as one batch. Neither: no transaction, but for what is
 *       {@code at(Place.KEYSPACE_LOOP)}, which is given one as a WRITE command is. A command that
 *       looks a key up to write it is a WRITE command even when it finds nothing to do, and uses
 *       {@code findForWrite} by way of the structures.
 *   <li><b>A function may run twice.</b> A read that meets a block which is not in memory unwinds
 *       by an exception that nobody between the store and the executor catches; the reply begun is
 *       taken back, the transaction dropped. So a function changes nothing but its transaction and
 *       its reply. (The few that change the session look at {@code context.isTrial()}.)
 *   <li><b>Time and chance come from the transaction</b>: {@code context.nowMillis()}, {@code
 *       transaction().random()}; never from the clock or a source of one's own.
 *   <li><b>A client's error is a {@link dev.varve.codec.DataException}</b>, a constant where
 *       possible, carrying the whole reply, code included; the executor catches it at the command
 *       and writes the error. Throw it before the first write. {@link
 *       dev.varve.server.command.Arguments} has the common ones and all parsing. Anything else that
 *       is thrown is a bug: it is logged, and the client gets an internal error.
 *   <li><b>One request, one reply</b>, through {@code context.reply()}, in RESP2 and RESP3 alike:
 *       write {@code map}, {@code set}, {@code real}, {@code bool} where Redis 7.0 does, and the
 *       encoder chooses the shape. Where the size of an aggregate is known last: {@code int at =
 *       reply.open()}, the elements, {@code reply.insertArray(at, n)}. A read that finds much does
 *       not collect it, but writes as it walks: then its reply takes no memory, however long.
 *   <li><b>The hot path has no streams, no boxing, no strings</b>: options by {@code args.is(i,
 *       "NX")}, names of keys and values as bytes. An argument's array may be kept as key or value
 *       as it is; nobody changes it.
 *   <li>Containers ({@code OBJECT ENCODING}): {@code
 *       Command.named("object").arity(-2).subcommands(…)}; a subcommand's arity counts both names,
 *       its arguments begin at 2.
 *   <li>A command that has to wait calls {@code context.waitFor(keys, timeout, onTimeout, attempt)}
 *       as the last thing it does, in the place of a reply, unless {@code context.mayWait()} says
 *       that it may not; it is a WRITE command or {@code at(Place.KEYSPACE_LOOP)}.
 *   <li>Keys that positions cannot tell ({@code ZUNION 2 a b}): {@code keys(args -> …)}.
 * </ul>
 *
 * <p>Register the group in {@link dev.varve.server.command.admin.CommandGroups}, and test it with
 * {@code CommandTester}: a whole executor over the in-memory store. What a group needs of the
 * server besides its context it is given there, and keeps.
 *
 * <p>Thread rule: the table is filled once and then read by all; a context belongs to one thread,
 * statistics are counted by one; a session belongs to whoever runs its commands.
 *
 * <p>Imports {@code script}, {@code resp}, {@code dev.varve.codec}.
 */
@NullMarked
package dev.varve.server.command;

import org.jspecify.annotations.NullMarked;
