package dev.varve.server.command.admin;

import static java.util.Objects.requireNonNull;

import dev.varve.server.command.lead.Leading;
import dev.varve.server.command.lead.ReplicaStatus;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.run.Following;
import dev.varve.server.config.Parameter;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.ReplicationParameters;
import dev.varve.server.config.Settings;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What INFO tells of replication: whether another server is followed, and how that goes.
 *
 * <p>Any thread.
 */
final class ReplicationInfo {
  private static final Parameter REPLICA_PRIORITY =
      requireNonNull(Parameters.find("replica-priority"));
  private static final Parameter REPLICA_ANNOUNCED =
      requireNonNull(Parameters.find("replica-announced"));
  private static final String NO_REPLICATION_ID = "0".repeat(40);

  private final Following following;
  private final Settings settings;
  private final Leading leading;

  ReplicationInfo(Following following, Leading leading, Settings settings) {
    this.following = following;
    this.leading = leading;
    this.settings = settings;
  }

  void fill(InfoFields fields) {
    Following.Master master = following.master();
    fields.put("role", master == null ? "master" : "slave");
    if (master != null) {
      ofReplica(fields, master);
    }
    ofMaster(fields, master == null && settings.replicasWanted() > 0);
    ReplicationStream stream = leading.stream();
    ReplicationStream.Former former = stream.former();
    boolean isKnown = following.replicationId() != null;
    fields
        .put("master_failover_state", leading.failover().state().label())
        .put("master_replid", stream.history())
        .put("master_replid2", former == null ? NO_REPLICATION_ID : former.history())
        .put("master_repl_offset", isKnown ? following.offset() : stream.offset())
        // As in Redis the first byte has the offset 1, and this is the one behind.
        .put("second_repl_offset", former == null ? -1 : former.end() + 1)
        .put("repl_backlog_active", stream.isOn() ? 1 : 0)
        .put("repl_backlog_size", settings.number(ReplicationParameters.BACKLOG_SIZE))
        .put("repl_backlog_first_byte_offset", stream.isOn() ? stream.start() + 1 : 0)
        .put("repl_backlog_histlen", stream.keptBytes())
        .put("replica_spool_bytes", leading.spooledBytes())
        .put("absent_replicas", leading.stream().retention().absent());
  }

  private void ofMaster(InfoFields fields, boolean areReplicasWanted) {
    List<ReplicaStatus> replicas = leading.statuses();
    fields.put("connected_slaves", replicas.size());
    if (areReplicasWanted) {
      fields.put(
          "min_slaves_good_slaves",
          leading.acknowledgements().countHeard(settings.replicaLagNanosMax()));
    }
    for (int i = 0; i < replicas.size(); i++) {
      fields.put("slave" + i, replicas.get(i).text());
    }
  }

  private void ofReplica(InfoFields fields, Following.Master master) {
    long nowNanos = System.nanoTime();
    boolean isUp = following.link() == Following.Link.CONNECTED;
    boolean isSyncing = following.link() == Following.Link.SYNC;
    long offset = following.replicationId() == null ? 0 : following.offset();
    fields
        .put("master_host", master.host())
        .put("master_port", master.port())
        .put("master_link_status", isUp ? "up" : "down")
        .put(
            "master_last_io_seconds_ago",
            isUp ? secondsSince(following.heardNanos(), nowNanos) : -1)
        .put("master_sync_in_progress", isSyncing ? 1 : 0)
        .put("slave_read_repl_offset", offset)
        .put("slave_repl_offset", offset)
        .put("master_requests_failed", following.failures());
    if (isSyncing) {
      Following.Transfer transfer = following.transfer();
      long total = transfer.totalBytes();
      long read = transfer.readBytes();
      fields
          .put("master_sync_total_bytes", total)
          .put("master_sync_read_bytes", read)
          .put("master_sync_left_bytes", total == 0 ? 0 : total - read)
          .put(
              "master_sync_perc",
              String.format(Locale.ROOT, "%.2f", total == 0 ? 0 : 100.0 * read / total))
          .put("master_sync_last_io_seconds_ago", secondsSince(following.heardNanos(), nowNanos));
    }
    if (!isUp) {
      fields.put("master_link_down_since_seconds", secondsSince(following.downNanos(), nowNanos));
    }
    fields
        .put("slave_priority", settings.number(REPLICA_PRIORITY))
        .put("slave_read_only", following.isReadOnly() ? 1 : 0)
        .put("replica_announced", settings.number(REPLICA_ANNOUNCED));
  }

  private static long secondsSince(long thenNanos, long nowNanos) {
    return TimeUnit.NANOSECONDS.toSeconds(nowNanos - thenNanos);
  }
}
