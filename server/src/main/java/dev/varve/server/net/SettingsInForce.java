package dev.varve.server.net;

import dev.varve.server.command.observe.Activity;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;

/**
 * Carries settings to what goes by them, at the start and whenever one is changed.
 *
 * <p>Called by whoever changes one, any thread.
 */
final class SettingsInForce {
  private final Settings settings;
  private final Keyspace keyspace;
  private final CommandExecutors executors;

  private SettingsInForce(Settings settings, Keyspace keyspace, CommandExecutors executors) {
    this.settings = settings;
    this.keyspace = keyspace;
    this.executors = executors;
  }

  /** Applies them, and from here on each change. */
  static void keep(Settings settings, Keyspace keyspace, CommandExecutors executors) {
    SettingsInForce its = new SettingsInForce(settings, keyspace, executors);
    settings.onChange(its::apply);
    its.apply();
  }

  private void apply() {
    keyspace.packedLimits(settings.packedLimits());
    keyspace.stringBytesMax(settings.integer(Parameters.PROTO_MAX_BULK_LEN));
    keyspace.listeners().notifications().choose(settings.text(Parameters.NOTIFY_KEYSPACE_EVENTS));
    keyspace.listeners().tracking().keysMax(settings.number(Parameters.TRACKING_TABLE_MAX_KEYS));
    keyspace
        .longRun()
        .thresholds(
            settings.number(Parameters.BUSY_REPLY_THRESHOLD),
            settings.number(Parameters.LONG_WRITE_THRESHOLD));
    keyspace.longReads().thresholdMillis(settings.number(Parameters.LONG_READ_THRESHOLD));
    keyspace
        .shortage()
        .update(settings.isMemoryShort(), settings.replicasWanted(), settings.replicaLagNanosMax());
    keyspace
        .following()
        .update(
            settings.number(ReplicationParameters.READ_ONLY) == 1,
            settings.number(ReplicationParameters.SERVE_STALE) == 1);
    if (settings.areUsesCounted()) {
      keyspace
          .accessTimes()
          .count(
              settings.integer(Parameters.LFU_LOG_FACTOR),
              settings.integer(Parameters.LFU_DECAY_TIME));
    } else {
      keyspace.accessTimes().countNone();
    }
    Activity activity = keyspace.activity();
    activity
        .slowLog()
        .limits(
            settings.number(Parameters.SLOWLOG_LOG_SLOWER_THAN),
            settings.number(Parameters.SLOWLOG_MAX_LEN));
    activity.accessLog().entriesMax(settings.number(Parameters.ACLLOG_MAX_LEN));
    activity.latencyEvents().threshold(settings.number(Parameters.LATENCY_MONITOR_THRESHOLD));
    executors.timesCalls(settings.number(Parameters.LATENCY_TRACKING) == 1);
  }
}
