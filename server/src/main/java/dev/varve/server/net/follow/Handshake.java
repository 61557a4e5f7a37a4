package dev.varve.server.net.follow;

import dev.varve.server.resp.RespEncoder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * What a master is told before its data comes, one request after the other: who this is, what it
 * understands, and from where on it wants to know what is written
 * (https://redis.io/docs/latest/operate/oss_and_stack/management/replication/).
 *
 * <p>Knows no socket. Used by one thread.
 */
final class Handshake {

  /** What a line of the master's has led to. */
  enum Step {
    /** {@link #request} is to be sent. */
    ASK,
    /** All data comes, of {@link #replicationId} at {@link #offset}. */
    EVERYTHING,
    /** What was written since comes, of {@link #replicationId}, which may be another one now. */
    REST,
    /** It is over; {@link #refusal} says why. */
    REFUSED
  }

  /**
   * Who this is.
   *
   * @param user empty for the default user
   * @param password empty for none
   * @param port where this server listens
   * @param address where it is, or empty
   */
  record Introduction(String user, String password, int port, String address) {}

  private enum Question {
    PING,
    AUTH,
    /** Older masters do not know all of them, and need not. */
    CONFIGURE,
    /** PSYNC, from a master to a replica. */
    HAND_OVER,
    PSYNC
  }

  private record Asked(Question question, byte[] request) {}

  /**
   * The first of Valkey whose dumps have all that is read here: its masters leave out what is newer
   * than a replica, and end where they cannot.
   */
  private static final String AS_VALKEY = "9.0.0";

  private static final String UNKNOWN_ID = "?";
  private static final String HAND_OVER = "FAILOVER";
  private static final String HAS_TAKEN_OVER = "-ERR PSYNC FAILOVER can't be sent to a master.";
  private static final int UNKNOWN_OFFSET = -1;

  /** Refusals of a master that has to get its own data first. */
  private static final List<String> PASSING = List.of("LOADING", "NOMASTERLINK", "MASTERDOWN");

  private final Queue<Asked> asked = new ArrayDeque<>();
  private final @Nullable String knownId;
  private final long knownOffset;
  private final boolean handsOver;
  private String replicationId = "";
  private long offset;
  private String refusal = "";

  /**
   * @param knownId the history that this server is in, or null if it is to have all data
   * @param knownOffset how far in it
   * @param handsOver whether the other one, which follows this server, is to take over first
   */
  Handshake(Introduction who, @Nullable String knownId, long knownOffset, boolean handsOver) {
    this.knownId = knownId;
    this.knownOffset = knownOffset;
    this.handsOver = handsOver;
    ask(Question.PING, "PING");
    if (!who.password.isEmpty() && who.user.isEmpty()) {
      ask(Question.AUTH, "AUTH", who.password);
    } else if (!who.password.isEmpty()) {
      ask(Question.AUTH, "AUTH", who.user, who.password);
    }
    ask(Question.CONFIGURE, "REPLCONF", "listening-port", Integer.toString(who.port));
    if (!who.address.isEmpty()) {
      ask(Question.CONFIGURE, "REPLCONF", "ip-address", who.address);
    }
    ask(Question.CONFIGURE, "REPLCONF", "capa", "eof", "capa", "psync2");
    ask(Question.CONFIGURE, "REPLCONF", "version", AS_VALKEY);
    String id = knownId == null ? UNKNOWN_ID : knownId;
    String next = Long.toString(knownId == null ? UNKNOWN_OFFSET : knownOffset + 1);
    if (handsOver) {
      ask(Question.HAND_OVER, "PSYNC", id, next, HAND_OVER);
    }
    ask(Question.PSYNC, "PSYNC", id, next);
  }

  private void ask(Question question, String... words) {
    asked.add(new Asked(question, request(words)));
  }

  /** A request as it is sent. */
  static byte[] request(String... words) {
    RespEncoder request = new RespEncoder();
    request.array(words.length);
    for (String word : words) {
      request.bulk(word);
    }
    return request.toByteArray();
  }

  /** The request that is to be sent now. */
  byte[] request() {
    return asked.element().request;
  }

  /** The master has replied by this line, without its end. */
  Step replied(String line) {
    Question question = asked.element().question;
    boolean isError = line.startsWith("-");
    switch (question) {
      case PING -> {
        // Who it is it has not been told yet.
        boolean isForLater =
            line.startsWith("-NOAUTH")
                || line.startsWith("-NOPERM")
                || line.startsWith("-ERR operation not permitted");
        if (isError && !isForLater) {
          return refused(line);
        }
      }
      case AUTH -> {
        if (isError) {
          return refused(line);
        }
      }
      case CONFIGURE -> {}
      case HAND_OVER -> {
        if (!line.equals(HAS_TAKEN_OVER)) {
          return isError ? refused(line) : begins(line);
        }
        // An earlier reply may have been lost: whether that was so shows by what it knows.
      }
      case PSYNC -> {
        return isError ? refused(line) : begins(line);
      }
    }
    asked.remove();
    return Step.ASK;
  }

  private Step begins(String line) {
    String[] words = line.split(" ", -1);
    if (words[0].equals("+FULLRESYNC") && words.length == 3 && words[2].matches("\\d{1,18}")) {
      if (handsOver && asked.element().question == Question.PSYNC) {
        return refused("it follows no longer, and does not know all that is here");
      }
      replicationId = words[1];
      offset = Long.parseLong(words[2]);
      return Step.EVERYTHING;
    }
    if (words[0].equals("+CONTINUE") && knownId != null) {
      replicationId = words.length > 1 ? words[1] : knownId;
      offset = knownOffset;
      return Step.REST;
    }
    return refused(line);
  }

  private Step refused(String line) {
    refusal = line.startsWith("-") ? line.substring(1) : line;
    return Step.REFUSED;
  }

  /** The history that is followed from now on. */
  String replicationId() {
    return replicationId;
  }

  /** How far in it this server is, once it has what comes first. */
  long offset() {
    return offset;
  }

  /** Whether it was refused for what passes. */
  boolean isRefusedForNow() {
    return PASSING.stream().anyMatch(refusal::startsWith);
  }

  /** Why it is over. */
  String refusal() {
    return refusal;
  }
}
