package dev.varve.server.command;

import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/**
 * What a client may do, as the user that it is. It may change at any time, for all who are that
 * user.
 *
 * <p>Any thread.
 */
public interface Rights {

  /** What is denied; in Redis's order, so that of two the later one is told. */
  enum Denied {
    COMMAND("command"),
    KEY("key"),
    CHANNEL("channel");

    private final String reason;

    Denied(String reason) {
      this.reason = reason;
    }

    /** As ACL LOG calls it. */
    public String reason() {
      return reason;
    }
  }

  /**
   * A request that is denied.
   *
   * @param part which part of it, 0 if it is the command
   */
  record Denial(Denied what, int part) {}

  /** Those of whoever may do everything, in servers that nobody has made users for. */
  Rights ALL =
      new Rights() {
        @Override
        public String userName() {
          return "default";
        }

        @Override
        public boolean areUnlimited() {
          return true;
        }

        @Override
        public boolean areOpen() {
          return false;
        }

        @Override
        public @Nullable Denial denial(Command command, Args request) {
          return null;
        }

        @Override
        public boolean readsAllKeys(Command command, Args request) {
          return true;
        }
      };

  /** The name of the user; each char is a byte of it. */
  String userName();

  /** Whether nothing is denied, so that nothing needs to be looked at. */
  boolean areUnlimited();

  /** Whether whoever has them need not have proven who he is. */
  boolean areOpen();

  /** Why a request may not run, or null if it may. */
  @Nullable Denial denial(Command command, Args request);

  /** Whether a request may run, and read keys that it does not name. */
  boolean readsAllKeys(Command command, Args request);
}
