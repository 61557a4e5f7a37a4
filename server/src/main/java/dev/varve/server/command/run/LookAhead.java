package dev.varve.server.command.run;

import dev.varve.codec.Meta;
import dev.varve.codec.format.CollectionKeys;
import dev.varve.codec.format.DamagedValueException;
import dev.varve.codec.format.KeyFormat;
import dev.varve.codec.store.BriefValue;
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
   * Where a member is, its key's meta says. So first of all the metas are fetched that are at hand,
   * then members are named.
   */

  /** So many requests are looked at: each may name a key and a member of it. */
  static final int REQUESTS_MAX = Engine.FORESEEN_MAX / 2;

  private final CommandTable table;
  private final Keyspace keyspace;
  private final byte[][] named = new byte[Engine.FORESEEN_MAX][];

  // Of the look that is under way.
  private int keys;
  private int databaseId;
  private byte @Nullable [] last;
  private @Nullable Use use;

  /** For each member that is named: of which of the keys, and in what database. */
  private final byte[][] members = new byte[REQUESTS_MAX][];

  private final byte[][] memberKeys = new byte[REQUESTS_MAX][];
  private final int[] memberKeyNumbers = new int[REQUESTS_MAX];
  private final int[] memberDatabaseIds = new int[REQUESTS_MAX];
  private int memberCount;

  /** How many of the keys are known to be at hand. */
  private int atHand;

  LookAhead(CommandTable table, Keyspace keyspace) {
    this.table = table;
    this.keyspace = keyspace;
  }

  /** Looks at the first of {@code requests}, as many as it takes; others than {@code Args} too. */
  void look(Session session, Iterable<Object> requests) {
    begin();
    add(session, requests, REQUESTS_MAX);
    end();
  }

  /** Looks at the first requests of all clients, as many as it takes. */
  void look(Iterable<? extends Upcoming> clients) {
    begin();
    int left = REQUESTS_MAX;
    for (Upcoming client : clients) {
      left -= add(client.session(), client.requests(), left);
    }
    end();
  }

  private void begin() {
    keys = 0;
    memberCount = 0;
    atHand = 0;
    last = null;
    use = null;
  }

  /** Returns how many it has looked at, of at most {@code max}. */
  private int add(Session session, Iterable<Object> requests, int max) {
    int its = keyspace.databases().id(session.database());
    if (its != databaseId) {
      databaseId = its;
      last = null;
    }
    Iterator<Object> each = requests.iterator();
    int looked = 0;
    while (looked < max && each.hasNext() && each.next() instanceof Args args) {
      looked++;
      add(args);
    }
    return looked;
  }

  private void add(Args args) {
    Command command = table.find(args.get(0));
    int first = command == null ? 0 : command.firstKey();
    if (command == null || first == 0 || first >= args.count()) {
      return;
    }
    Use itsUse = command.is(CommandFlag.WRITE) ? Use.WRITE : Use.READ;
    use = use == null ? itsUse : use.and(itsUse);
    byte[] key = args.get(first);
    if (last == null || !Arrays.equals(key, last)) {
      named[keys++] = KeyFormat.meta(databaseId, key);
      last = key;
    }
    int member = command.member();
    if (member != 0 && member < args.count()) {
      members[memberCount] = args.get(member);
      memberKeys[memberCount] = key;
      memberKeyNumbers[memberCount] = keys - 1;
      memberDatabaseIds[memberCount++] = databaseId;
    }
  }

  private void end() {
    int count = keys;
    if (memberCount > 0) {
      if (keys > 1) {
        keyspace.engine().bring(named, keys);
      }
      count += nameMembers();
    }
    boolean isAllBrought = use == Use.READ && keys > 1 && count == keys && atHand == keys;
    // All at once: the engine keeps the answers of one look.
    if (count > 1 && use != null && !isAllBrought) {
      keyspace.engine().foresee(named, count, use);
    }
    Arrays.fill(members, 0, memberCount, null);
    Arrays.fill(memberKeys, 0, memberCount, null);
    last = null;
  }

  /** Names the members behind the keys; returns how many. */
  private int nameMembers() {
    int its = 0;
    int number = -1;
    CollectionKeys collection = null;
    for (int i = 0; i < memberCount; i++) {
      if (memberKeyNumbers[i] != number) {
        number = memberKeyNumbers[i];
        collection = collection(memberDatabaseIds[i], memberKeys[i], named[number]);
      }
      if (collection != null) {
        named[keys + its++] = collection.member(members[i]);
      }
    }
    return its;
  }

  /** Where the members of a collection are, if it is spread, and that is at hand. */
  private @Nullable CollectionKeys collection(int itsDatabaseId, byte[] key, byte[] stored) {
    BriefValue value = keyspace.engine().atHand(stored);
    if (value == null) {
      return null;
    }
    atHand++;
    try {
      return Meta.membersOf(value, itsDatabaseId, key);
    } catch (DamagedValueException damaged) {
      // The command that reads it will say so.
      return null;
    }
  }
}
