package dev.varve.server.command.run;

import dev.varve.codec.Meta;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.command.CommandTable;
import dev.varve.server.command.Session;
import dev.varve.server.engine.Engine;
import dev.varve.server.engine.Engine.Use;
import dev.varve.server.resp.Args;
import java.util.Arrays;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Tells the engine which keys and members the next requests name, of one client's pipeline or of
 * several clients, before the first of them runs: a prefetch, from memory to the processor.
 *
 * <p>Keyspace loop only.
 */
final class LookAhead {

  /*
   * Keys that are spread over more memory than the processor caches cost a command several fetches,
   * each of which has to end before the next is known. Those of different commands need not wait for
   * each other.
   *
   * Members are looked at where requests in a row name the same key: for each other key its meta
   * would have to be read first.
   */
  private final CommandTable table;
  private final Keyspace keyspace;
  private final byte[][] named = new byte[Engine.FORESEEN_MAX][];

  // Of the look that is under way.
  private int count;
  private int databaseId;
  private byte @Nullable [] last;
  private @Nullable CollectionKeys collection;
  private boolean isNewKey;
  private @Nullable Use use;

  LookAhead(CommandTable table, Keyspace keyspace) {
    this.table = table;
    this.keyspace = keyspace;
  }

  /** Looks at the first of {@code requests}, as many as it takes; others than {@code Args} too. */
  void look(Session session, Iterable<Object> requests) {
    begin();
    add(session, requests);
    end();
  }

  /** Looks at the first requests of all clients, as many as it takes. */
  void look(Iterable<? extends Upcoming> clients) {
    begin();
    for (Upcoming client : clients) {
      add(client.session(), client.requests());
    }
    end();
  }

  private void begin() {
    count = 0;
    last = null;
    collection = null;
    isNewKey = true;
    use = null;
  }

  private void add(Session session, Iterable<Object> requests) {
    int its = keyspace.databases().id(session.database());
    if (its != databaseId) {
      databaseId = its;
      last = null;
    }
    Iterator<Object> each = requests.iterator();
    for (int i = 0; i < Engine.FORESEEN_MAX && count < named.length && each.hasNext(); i++) {
      if (!(each.next() instanceof Args args)) {
        break;
      }
      Command command = table.find(args.get(0));
      int first = command == null ? 0 : command.firstKey();
      if (command == null || first == 0 || first >= args.count()) {
        continue;
      }
      Use itsUse = command.is(CommandFlag.WRITE) ? Use.WRITE : Use.READ;
      use = use == null ? itsUse : use.and(itsUse);
      byte[] key = args.get(first);
      if (last == null || !Arrays.equals(key, last)) {
        named[count++] = KeyFormat.meta(databaseId, key);
        last = key;
        isNewKey = true;
        continue;
      }
      int member = command.member();
      if (member == 0 || member >= args.count()) {
        continue;
      }
      if (isNewKey) {
        collection = collection(databaseId, key, named[count - 1]);
        isNewKey = false;
      }
      if (collection != null) {
        named[count++] = collection.member(args.get(member));
      }
    }
  }

  private void end() {
    // All at once: the engine keeps the answers of one look.
    if (count > 1 && use != null) {
      keyspace.engine().foresee(named, count, use);
    }
    last = null;
    collection = null;
  }

  /** Where the members of a collection are, if it is spread, and that is at hand. */
  private @Nullable CollectionKeys collection(int databaseId, byte[] key, byte[] stored) {
    byte[] value = keyspace.engine().atHand(stored);
    try {
      return value == null ? null : Meta.membersOf(value, databaseId, key);
    } catch (DamagedValueException damaged) {
      // The command that reads it will say so.
      return null;
    }
  }
}
