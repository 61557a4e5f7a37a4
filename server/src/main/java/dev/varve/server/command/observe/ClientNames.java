package dev.varve.server.command.observe;

import dev.varve.server.command.Session;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What clients call themselves and their libraries, as CLIENT LIST and the logs show it. They keep
 * it as long as they are connected, and there may be many of them: there is room for so much of all
 * together. Short names, as most clients have, are always taken.
 *
 * <p>Any thread; each session by the thread that has it.
 */
public final class ClientNames {
  static final int HEAP_PART = 16;

  /** What ten thousand clients may have without taking much. */
  static final int SHORT = 64;

  private final long lengthMax = Runtime.getRuntime().maxMemory() / HEAP_PART;
  private final AtomicLong length = new AtomicLong();

  /**
   * Names a client; empty: takes its name away. False: there is no room for the name, and the
   * client has the one it had.
   */
  public boolean name(Session session, String name) {
    boolean isTaken = isRoomFor(name, session.name());
    if (isTaken) {
      session.name(name);
    }
    return isTaken;
  }

  /** Names the library of a client, as {@link #name} does. */
  public boolean libraryName(Session session, String name) {
    boolean isTaken = isRoomFor(name, session.libraryName());
    if (isTaken) {
      session.libraryName(name);
    }
    return isTaken;
  }

  /** Says which version of it that is, as {@link #name} does. */
  public boolean libraryVersion(Session session, String version) {
    boolean isTaken = isRoomFor(version, session.libraryVersion());
    if (isTaken) {
      session.libraryVersion(version);
    }
    return isTaken;
  }

  /** Whether a name may take the place of another: then it has it. */
  private boolean isRoomFor(String name, String before) {
    int more = taken(name) - taken(before);
    if (length.addAndGet(more) > lengthMax && more > 0) {
      length.addAndGet(-more);
      return false;
    }
    return true;
  }

  private static int taken(String name) {
    return name.length() <= SHORT ? 0 : name.length();
  }

  /** A client is gone. */
  public void forget(Session session) {
    int its =
        taken(session.name()) + taken(session.libraryName()) + taken(session.libraryVersion());
    length.addAndGet(-its);
    session.name("");
    session.libraryName("");
    session.libraryVersion("");
  }
}
