package dev.varve.server.command.admin;

import dev.varve.codec.Databases;
import dev.varve.codec.GuardedKey;
import dev.varve.codec.GuardedKeys;
import dev.varve.codec.Meta;
import dev.varve.codec.dump.Dumps;
import dev.varve.codec.store.StoreView;
import dev.varve.server.command.Wait;
import dev.varve.server.command.run.Keyspace;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way of some keys to another server: their values as they were when MIGRATE ran, in parcels,
 * and the deletion of those that arrived and are still the same.
 *
 * <p>One step after the other; each says on which thread.
 */
public final class Migration {
  /** A parcel is sent once it is so long; it holds one key at least. */
  static final int PARCEL_BYTES_MAX = 4 << 20;

  /** A payload from here on is not copied into the requests around it. */
  private static final int COPIED_BYTES_MAX = 64 << 10;

  static final String STOPPED = "ERR the server stops";
  private static final String CHANGED =
      "ERR A key was changed while it was migrated: it stays here, and the target has it as it was"
          + " before";

  /**
   * Requests with one reply each.
   *
   * @param pieces what to send
   * @param keys whose they are, in order
   */
  public record Parcel(List<byte[]> pieces, List<GuardedKey> keys) {}

  private final Keyspace keyspace;
  private final MigrateArguments arguments;
  private final int database;
  private final GuardedKeys guard;
  private final List<GuardedKey> keys;
  private final Wait wait;
  private final Databases databases;
  private @Nullable StoreView view;
  private int next;
  private boolean isClosed;

  /** What the client is told; null if all went well so far. Keyspace loop. */
  private @Nullable String error;

  Migration(
      Keyspace keyspace,
      MigrateArguments arguments,
      int database,
      GuardedKeys guard,
      List<GuardedKey> keys,
      Wait wait) {
    this.keyspace = keyspace;
    this.arguments = arguments;
    this.database = database;
    this.guard = guard;
    this.keys = keys;
    this.wait = wait;
    this.databases = keyspace.databases();
  }

  /** Any thread. */
  public String host() {
    return arguments.host();
  }

  /** What is to be a port. Any thread. */
  public String port() {
    return arguments.port();
  }

  /** How long the other server may give no sign. Any thread. */
  public long timeoutMillis() {
    return arguments.timeoutMillis();
  }

  /** What is to be said before the first parcel, one reply each. Any thread. */
  public List<byte[]> greeting() {
    List<byte[]> requests = new ArrayList<>(2);
    byte[] password = arguments.password();
    if (password != null) {
      byte[] user = arguments.user();
      requests.add(
          user == null ? request(text("AUTH"), password) : request(text("AUTH"), user, password));
    }
    requests.add(request(text("SELECT"), text(Long.toString(arguments.database()))));
    return requests;
  }

  /**
   * The next parcel, or null when there is none left. Worker, once readers see what had been
   * written when MIGRATE ran.
   *
   * @param nowMillis ms since 1970
   */
  public synchronized @Nullable Parcel pack(long nowMillis) {
    List<byte[]> pieces = new ArrayList<>();
    List<GuardedKey> packed = new ArrayList<>();
    ByteArrayOutputStream small = new ByteArrayOutputStream();
    long bytes = 0;
    while (!isClosed && next < keys.size() && bytes < PARCEL_BYTES_MAX) {
      GuardedKey key = keys.get(next++);
      byte[] payload = key.expiryMillis() <= nowMillis ? null : dump(key, nowMillis);
      if (payload == null) {
        continue;
      }
      packed.add(key);
      header(small, key, payload.length, nowMillis);
      if (payload.length > COPIED_BYTES_MAX) {
        pieces.add(small.toByteArray());
        small.reset();
        pieces.add(payload);
      } else {
        small.writeBytes(payload);
      }
      small.writeBytes(text("\r\n"));
      if (arguments.replaces()) {
        bulk(small, text("REPLACE"));
      }
      bytes += payload.length;
    }
    pieces.add(small.toByteArray());
    return packed.isEmpty() ? null : new Parcel(pieces, packed);
  }

  private byte @Nullable [] dump(GuardedKey key, long nowMillis) {
    StoreView its = view;
    if (its == null) {
      its = keyspace.engine().lastingView();
      view = its;
    }
    return Dumps.dump(keyspace.looking(its, databases, nowMillis), database, key.key());
  }

  private void header(ByteArrayOutputStream out, GuardedKey key, int payloadBytes, long nowMillis) {
    long leftMillis =
        key.expiryMillis() == Meta.NO_EXPIRY ? 0 : Math.max(1, key.expiryMillis() - nowMillis);
    out.writeBytes(text(arguments.replaces() ? "*5\r\n" : "*4\r\n"));
    bulk(out, text("RESTORE"));
    bulk(out, key.key());
    bulk(out, text(Long.toString(leftMillis)));
    out.writeBytes(text("$" + payloadBytes + "\r\n"));
  }

  private static byte[] request(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(text("*" + parts.length + "\r\n"));
    for (byte[] part : parts) {
      bulk(out, part);
    }
    return out.toByteArray();
  }

  private static void bulk(ByteArrayOutputStream out, byte[] part) {
    out.writeBytes(text("$" + part.length + "\r\n"));
    out.writeBytes(part);
    out.writeBytes(text("\r\n"));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /**
   * Whether nothing may be deleted now, because clients are paused or a script runs. Any thread.
   */
  public boolean isHeldUp(long nowMillis) {
    return !arguments.copies() && keyspace.isHeldUp(nowMillis);
  }

  /** The target has these keys: they are deleted here, unless they were to be. Keyspace loop. */
  public void arrived(List<GuardedKey> arrived, long nowMillis) {
    if (arguments.copies() || arrived.isEmpty()) {
      return;
    }
    // Its role may have changed since: what is deleted here alone would be there elsewhere.
    String refusal = keyspace.serverWriteRefusal();
    if (refusal != null) {
      fail(refusal);
      return;
    }
    keyspace.run(
        nowMillis,
        transaction -> {
          for (GuardedKey key : arrived) {
            if (!key.delete(transaction)) {
              fail(CHANGED);
            }
          }
        });
  }

  /** Something went wrong: the first of that is what the client is told. Keyspace loop. */
  public void fail(String its) {
    if (error == null) {
      error = its;
    }
  }

  /** What the target said was an error. Keyspace loop. */
  public void refused(String reply) {
    fail("ERR Target instance replied with error: " + reply);
  }

  /** Answers the client and forgets the keys. Keyspace loop, after the last step, once. */
  public void end() {
    keyspace.writtenKeys().unguard(guard);
    close();
    String its = error;
    wait.session()
        .connection()
        .endWait(
            wait,
            reply -> {
              if (its == null) {
                reply.ok();
              } else {
                reply.error(text(its));
              }
            });
  }

  /** Reads nothing from here on. Any thread that may wait for the parcel that is being packed. */
  public synchronized void close() {
    isClosed = true;
    StoreView its = view;
    view = null;
    if (its != null) {
      its.close();
    }
  }
}
