package dev.varve.server.command.session;

import dev.varve.codec.DataException;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.Name;
import dev.varve.server.command.Session;
import dev.varve.server.command.TrackingState;
import dev.varve.server.command.TrackingState.Mode;
import dev.varve.server.command.listen.Tracking;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** CLIENT TRACKING, CACHING, TRACKINGINFO and GETREDIR. Keyspace loop. */
final class TrackingCommands {
  private static final DataException ONE_REDIRECT =
      new DataException("ERR A client can only redirect to a single other client");
  private static final DataException NO_SUCH_TARGET =
      new DataException("ERR The client ID you want redirect to does not exist");
  private static final DataException PREFIX_WITHOUT_BROADCAST =
      new DataException("ERR PREFIX option requires BCAST mode to be enabled");
  private static final DataException BROADCAST_SWITCHED =
      new DataException(
          "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and"
              + " then re-enabling it with a different mode.");
  private static final DataException BROADCAST_WITH_CHOICE =
      new DataException("ERR OPTIN and OPTOUT are not compatible with BCAST");
  private static final DataException BOTH_CHOICES =
      new DataException("ERR You can't specify both OPTIN mode and OPTOUT mode");
  private static final DataException CHOICE_SWITCHED =
      new DataException(
          "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and"
              + " then re-enabling it with a different mode.");
  private static final DataException NOT_TRACKING =
      new DataException(
          "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or"
              + " OPTOUT mode enabled");
  private static final DataException YES_WITHOUT_OPTIN =
      new DataException(
          "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.");
  private static final DataException NO_WITHOUT_OPTOUT =
      new DataException(
          "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.");
  private static final byte[] EVERYTHING = {};

  private final Clients clients;
  private final Tracking tracking;

  TrackingCommands(Clients clients, Tracking tracking) {
    this.clients = clients;
    this.tracking = tracking;
  }

  void track(CommandContext context, Args args) {
    long redirect = 0;
    boolean broadcasts = false;
    boolean optsIn = false;
    boolean optsOut = false;
    boolean noLoop = false;
    List<byte[]> prefixes = new ArrayList<>();
    for (int i = 3; i < args.count(); i++) {
      boolean hasValue = i + 1 < args.count();
      if (args.is(i, "REDIRECT") && hasValue) {
        if (redirect != 0) {
          throw ONE_REDIRECT;
        }
        redirect = Arguments.integer(args, ++i);
        if (clients.session(redirect) == null) {
          throw NO_SUCH_TARGET;
        }
      } else if (args.is(i, "BCAST")) {
        broadcasts = true;
      } else if (args.is(i, "OPTIN")) {
        optsIn = true;
      } else if (args.is(i, "OPTOUT")) {
        optsOut = true;
      } else if (args.is(i, "NOLOOP")) {
        noLoop = true;
      } else if (args.is(i, "PREFIX") && hasValue) {
        prefixes.add(args.get(++i));
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    Session session = context.session();
    if (args.is(2, "ON")) {
      check(session.tracking(), broadcasts, optsIn, optsOut, prefixes);
      if (!prefixes.isEmpty()) {
        tracking.requireRoom(args);
      }
      Mode mode =
          broadcasts
              ? Mode.BROADCAST
              : optsIn ? Mode.OPT_IN : optsOut ? Mode.OPT_OUT : Mode.ALL_READS;
      session.tracking().begin(mode, redirect, noLoop);
      if (broadcasts && prefixes.isEmpty()) {
        prefixes.add(EVERYTHING);
      }
      tracking.begin(session, prefixes);
    } else if (args.is(2, "OFF")) {
      tracking.end(session);
    } else {
      throw Arguments.SYNTAX_ERROR;
    }
    context.reply().ok();
  }

  private static void check(
      TrackingState state,
      boolean broadcasts,
      boolean optsIn,
      boolean optsOut,
      List<byte[]> prefixes) {
    if (!broadcasts && !prefixes.isEmpty()) {
      throw PREFIX_WITHOUT_BROADCAST;
    }
    if (state.isOn() && broadcasts != (state.mode() == Mode.BROADCAST)) {
      throw BROADCAST_SWITCHED;
    }
    if (broadcasts && (optsIn || optsOut)) {
      throw BROADCAST_WITH_CHOICE;
    }
    if (optsIn && optsOut) {
      throw BOTH_CHOICES;
    }
    if ((optsIn && state.mode() == Mode.OPT_OUT) || (optsOut && state.mode() == Mode.OPT_IN)) {
      throw CHOICE_SWITCHED;
    }
    if (broadcasts) {
      checkPrefixes(state.prefixes(), prefixes);
    }
  }

  private static void checkPrefixes(Set<Name> existing, List<byte[]> prefixes) {
    for (int i = 0; i < prefixes.size(); i++) {
      Name prefix = new Name(prefixes.get(i));
      for (Name old : existing) {
        if (old.startsWith(prefix) || prefix.startsWith(old)) {
          throw overlap(prefix, old, "an existing");
        }
      }
      for (int k = i + 1; k < prefixes.size(); k++) {
        Name other = new Name(prefixes.get(k));
        if (other.startsWith(prefix) || prefix.startsWith(other)) {
          throw overlap(prefix, other, "another provided");
        }
      }
    }
  }

  private static DataException overlap(Name prefix, Name other, String which) {
    return new DataException(
        "ERR Prefix '"
            + text(prefix)
            + "' overlaps with "
            + which
            + " prefix '"
            + text(other)
            + "'. Prefixes for a single client must not overlap.");
  }

  private static String text(Name name) {
    return new String(name.bytes(), StandardCharsets.UTF_8);
  }

  void caching(CommandContext context, Args args) {
    TrackingState state = context.session().tracking();
    if (!state.isOn()) {
      throw NOT_TRACKING;
    }
    if (args.is(2, "YES")) {
      if (state.mode() != Mode.OPT_IN) {
        throw YES_WITHOUT_OPTIN;
      }
    } else if (args.is(2, "NO")) {
      if (state.mode() != Mode.OPT_OUT) {
        throw NO_WITHOUT_OPTOUT;
      }
    } else {
      throw Arguments.SYNTAX_ERROR;
    }
    state.sayCaching();
    context.reply().ok();
  }

  void redirect(CommandContext context, Args args) {
    context.reply().integer(redirect(context.session().tracking()));
  }

  private static long redirect(TrackingState state) {
    return state.isOn() ? state.redirect() : -1;
  }

  void info(CommandContext context, Args args) {
    TrackingState state = context.session().tracking();
    List<String> flags = new ArrayList<>();
    flags.add(state.isOn() ? "on" : "off");
    switch (state.mode()) {
      case OFF, ALL_READS -> {}
      case BROADCAST -> flags.add("bcast");
      case OPT_IN -> flags.add("optin");
      case OPT_OUT -> flags.add("optout");
    }
    if (state.isCachingSaid()) {
      flags.add(state.mode() == Mode.OPT_IN ? "caching-yes" : "caching-no");
    }
    if (state.isNoLoop()) {
      flags.add("noloop");
    }
    if (state.isRedirectBroken()) {
      flags.add("broken_redirect");
    }
    RespEncoder reply = context.reply();
    reply.map(3);
    reply.bulk("flags");
    reply.set(flags.size());
    flags.forEach(reply::bulk);
    reply.bulk("redirect");
    reply.integer(redirect(state));
    reply.bulk("prefixes");
    reply.array(state.prefixes().size());
    state.prefixes().stream().map(Name::bytes).sorted(Arrays::compareUnsigned).forEach(reply::bulk);
  }
}
