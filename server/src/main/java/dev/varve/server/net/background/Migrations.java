package dev.varve.server.net.background;

import dev.varve.codec.DataException;
import dev.varve.codec.GuardedKey;
import dev.varve.server.command.admin.Migration;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.net.loop.Dialer;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries migrations out: a worker packs, an event loop sends and listens, and the keyspace loop
 * deletes what has arrived.
 *
 * <p>Keyspace loop, except where it says otherwise.
 */
public final class Migrations {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  /** Each holds a parcel in memory and its snapshot; others wait for their turn. */
  private static final int UNDER_WAY_MAX = 4;

  private static final int PORT_MAX = 65_535;
  private static final String NOT_CONNECTED = "IOERR error or timeout connecting to the client";

  private final Vertx vertx;
  private final Context sockets;
  private final Keyspace keyspace;
  private final Executor loop;
  private final Executor published;
  private final Executor unpaused;
  private final Executor worker;
  private final LongSupplier clock;
  private final Dialer dialer;
  private final Queue<Migration> waiting = new ArrayDeque<>();
  private final Set<Migration> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  /**
   * @param sockets the event loop for the sockets
   * @param loop runs a task on the keyspace loop
   * @param published runs a task of that loop once readers see all that has been written
   * @param unpaused runs a task when CLIENT PAUSE is over
   * @param worker runs a task that may block, one after the other
   * @param clock ms since 1970
   */
  public Migrations(
      Vertx vertx,
      Context sockets,
      Keyspace keyspace,
      Executor loop,
      Executor published,
      Executor unpaused,
      Executor worker,
      LongSupplier clock) {
    this.vertx = vertx;
    this.sockets = sockets;
    this.keyspace = keyspace;
    this.loop = loop;
    this.published = published;
    this.unpaused = unpaused;
    this.worker = worker;
    this.clock = clock;
    this.dialer = new Dialer(vertx, sockets);
  }

  /** Carries {@code migration} out, now or when others are through. Returns at once. */
  public void begin(Migration migration) {
    waiting.add(migration);
    beginNext();
  }

  private void beginNext() {
    while (underWay.size() < UNDER_WAY_MAX && !waiting.isEmpty() && !stopped) {
      Migration migration = waiting.remove();
      underWay.add(migration);
      // Its snapshot is to have all that its client has seen.
      published.execute(() -> new Run(migration).connect());
    }
  }

  /** Lets go of the data. By a thread that may block, before the engine is closed. */
  public void stop() {
    stopped = true;
    underWay.forEach(Migration::close);
  }

  private void end(Migration migration) {
    underWay.remove(migration);
    migration.end();
    beginNext();
  }

  /** The steps of one migration; each is where its task says. */
  private final class Run {
    private final Migration migration;
    private @Nullable TargetSocket socket;

    Run(Migration migration) {
      this.migration = migration;
    }

    private void onSockets(Runnable step) {
      sockets.runOnContext(ignored -> step.run());
    }

    void connect() {
      int port = port(migration.port());
      if (port < 0 || migration.host().isEmpty()) {
        finish(NOT_CONNECTED);
        return;
      }
      int timeoutMillis = (int) Math.min(Integer.MAX_VALUE, migration.timeoutMillis());
      dialer.connect(migration.host(), port, timeoutMillis).onComplete(this::connected);
    }

    private void connected(AsyncResult<NetSocket> result) {
      if (result.failed()) {
        onLoop(() -> finish(NOT_CONNECTED));
        return;
      }
      TargetSocket its = new TargetSocket(vertx, result.result(), migration.timeoutMillis());
      socket = its;
      List<byte[]> greeting = migration.greeting();
      its.ask(greeting, greeting.size()).onSuccess(answer -> onLoop(() -> greeted(answer)));
    }

    /** On the keyspace loop. */
    private void greeted(TargetSocket.Answer answer) {
      boolean isRefused = false;
      for (String line : answer.lines()) {
        isRefused |= hasRefused(line);
      }
      if (isRefused || answer.problem() != null) {
        finish(answer.problem());
      } else {
        pack();
      }
    }

    private void pack() {
      worker.execute(
          () -> {
            try {
              Migration.Parcel parcel = migration.pack(clock.getAsLong());
              onSockets(() -> send(parcel));
            } catch (DataException refused) {
              onLoop(() -> finish(refused.error()));
            } catch (RuntimeException | OutOfMemoryError failure) {
              LOG.error("keys could not be read to be migrated", failure);
              onLoop(() -> finish("ERR a key could not be read: " + failure));
            }
          });
    }

    private void send(Migration.@Nullable Parcel parcel) {
      TargetSocket its = socket;
      if (parcel == null || its == null) {
        onLoop(() -> finish(null));
        return;
      }
      its.ask(parcel.pieces(), parcel.keys().size())
          .onSuccess(answer -> onLoop(() -> arrived(parcel, answer)));
    }

    /** On the keyspace loop. */
    private void arrived(Migration.Parcel parcel, TargetSocket.Answer answer) {
      if (keyspace.longRun().defers(this::onLoop, () -> arrived(parcel, answer))) {
        return;
      }
      if (migration.isHeldUp(clock.getAsLong())) {
        unpaused.execute(() -> onLoop(() -> arrived(parcel, answer)));
        return;
      }
      try {
        migration.arrived(delivered(answer, parcel.keys()), clock.getAsLong());
      } catch (RuntimeException failure) {
        LOG.error("keys that were migrated could not be deleted", failure);
        migration.fail("ERR keys that were migrated could not be deleted: " + failure);
      }
      if (answer.problem() != null) {
        finish(answer.problem());
      } else {
        pack();
      }
    }

    /** Those of {@code keys} that the target took; what it refused is noted. */
    private List<GuardedKey> delivered(TargetSocket.Answer answer, List<GuardedKey> keys) {
      List<GuardedKey> delivered = new ArrayList<>(keys.size());
      for (int i = 0; i < answer.lines().size(); i++) {
        if (!hasRefused(answer.lines().get(i))) {
          delivered.add(keys.get(i));
        }
      }
      return delivered;
    }

    /** Whether a reply is an error, which is noted then. */
    private boolean hasRefused(String line) {
      if (line.startsWith("-")) {
        migration.refused(line.substring(1));
        return true;
      }
      return false;
    }

    /** On the keyspace loop. */
    private void finish(@Nullable String problem) {
      if (problem != null) {
        migration.fail(problem);
      }
      onSockets(
          () -> {
            if (socket != null) {
              socket.close();
            }
          });
      end(migration);
    }

    private void onLoop(Runnable step) {
      loop.execute(step);
    }
  }

  /** The number of a port, or -1 if it cannot be one. */
  private static int port(String text) {
    try {
      int port = Integer.parseInt(text.strip());
      return port > 0 && port <= PORT_MAX ? port : -1;
    } catch (NumberFormatException none) {
      return -1;
    }
  }
}
