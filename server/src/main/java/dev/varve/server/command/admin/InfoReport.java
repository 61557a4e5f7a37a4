package dev.varve.server.command.admin;

import static java.util.Objects.requireNonNull;

import com.sun.management.OperatingSystemMXBean;
import dev.varve.codec.CounterIds;
import dev.varve.codec.Transaction;
import dev.varve.server.command.CallStatistics;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandStatistics;
import dev.varve.server.command.lead.ReplicationStream;
import dev.varve.server.command.listen.ChangeListeners;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.command.session.Clients;
import dev.varve.server.command.session.ConnectionCommands;
import dev.varve.server.config.Parameter;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Percentiles;
import dev.varve.server.config.Settings;
import dev.varve.server.resp.Args;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The text of INFO, in Redis's sections and by its names where it has the same, and Varve's own.
 *
 * <p>Any thread, but the keyspace section is of the transaction it is given.
 */
public final class InfoReport {
  private final ServerStatus status;
  private final Settings settings;
  private final Clients clients;
  private final Persistence persistence;
  private final Keyspace keyspace;
  private final ChangeListeners listeners;
  private final LongSupplier clock;
  private final String runId = ReplicationStream.randomId();

  private final ReplicationInfo replication;

  /**
   * @param clock ms since 1970
   */
  public InfoReport(
      ServerStatus status,
      Settings settings,
      Clients clients,
      Persistence persistence,
      Keyspace keyspace,
      LongSupplier clock) {
    this.status = status;
    this.settings = settings;
    this.clients = clients;
    this.persistence = persistence;
    this.keyspace = keyspace;
    this.listeners = keyspace.listeners();
    this.clock = clock;
    this.replication = new ReplicationInfo(keyspace.following(), keyspace.leading(), settings);
  }

  /** How often in a second the server looks after itself, whatever {@code hz} asks for. */
  private static final int PERIODIC_RUNS_PER_SECOND = 1;

  private static final Parameter HZ = requireNonNull(Parameters.find("hz"));

  /** Sections that are long, and shown only to those who ask for them. */
  private static final Set<String> ON_REQUEST = Set.of("Commandstats", "Latencystats");

  private interface Section {
    void fill(InfoFields fields);
  }

  /** The sections that {@code args} names from 1 on; all if it names none. */
  String text(CommandContext context, Args args) {
    TreeSet<String> wanted = new TreeSet<>();
    for (int i = 1; i < args.count(); i++) {
      wanted.add(args.text(i).toLowerCase(Locale.ROOT));
    }
    boolean everything = wanted.contains("all") || wanted.contains("everything");
    boolean defaults = wanted.isEmpty() || wanted.contains("default");
    StringBuilder text = new StringBuilder();
    sections(context)
        .forEach(
            (name, section) -> {
              boolean isMeant =
                  everything
                      || wanted.contains(name.toLowerCase(Locale.ROOT))
                      || (defaults && !ON_REQUEST.contains(name));
              if (isMeant) {
                text.append(text.isEmpty() ? "" : "\r\n").append("# ").append(name).append("\r\n");
                section.fill(new InfoFields(text));
              }
            });
    return text.toString();
  }

  private Map<String, Section> sections(CommandContext context) {
    // As in Redis, what asks sees what ran before it in its own transaction or script.
    CommandStatistics inside = context.statisticsInside();
    Map<String, Section> sections = new LinkedHashMap<>();
    sections.put("Server", this::server);
    sections.put("Clients", this::clients);
    sections.put("Memory", this::memory);
    sections.put("Persistence", this::persistence);
    sections.put("Stats", fields -> statistics(fields, inside));
    sections.put("Replication", replication::fill);
    sections.put("CPU", this::cpu);
    sections.put("Modules", fields -> {});
    sections.put("Commandstats", fields -> calls(fields, inside));
    sections.put("Errorstats", fields -> errors(fields, inside));
    sections.put("Latencystats", fields -> latencies(fields, inside));
    sections.put(
        "Cluster",
        fields -> fields.put("cluster_enabled", keyspace.following().isInCluster() ? 1 : 0));
    sections.put("Storage", fields -> keyspace.engine().statistics().forEach(fields::put));
    sections.put("Keyspace", fields -> keyspace(fields, context.transaction()));
    return sections;
  }

  private void server(InfoFields fields) {
    long nowMillis = clock.getAsLong();
    long upSeconds = Math.max(0, nowMillis - status.startedMillis()) / 1000;
    fields
        .put("redis_version", ConnectionCommands.REDIS_VERSION)
        .put("varve_version", status.version())
        .put("redis_git_sha1", "00000000")
        .put("redis_git_dirty", 0)
        .put("redis_mode", keyspace.following().isInCluster() ? "cluster" : "standalone")
        .put(
            "os",
            System.getProperty("os.name")
                + ' '
                + System.getProperty("os.version")
                + ' '
                + System.getProperty("os.arch"))
        .put("arch_bits", 64)
        .put("multiplexing_api", status.multiplexing())
        .put("java_version", System.getProperty("java.version"))
        .put("process_id", ProcessHandle.current().pid())
        .put("process_supervised", "no")
        .put("run_id", runId)
        .put("tcp_port", status.port())
        .put("server_time_usec", nowMillis * 1000)
        .put("uptime_in_seconds", upSeconds)
        .put("uptime_in_days", upSeconds / 86_400)
        .put("hz", PERIODIC_RUNS_PER_SECOND)
        .put("configured_hz", settings.number(HZ))
        .put("executable", ProcessHandle.current().info().command().orElse(""))
        .put("config_file", status.configFile())
        .put("io_threads_active", settings.integer(Parameters.IO_THREADS) > 1 ? 1 : 0);
    long millisLeft = keyspace.leading().ending().millisLeft();
    if (millisLeft > 0) {
      fields.put("shutdown_in_milliseconds", millisLeft);
    }
  }

  private void clients(InfoFields fields) {
    fields
        .put("connected_clients", clients.countBesidesReplicas())
        .putZeros("cluster_connections")
        .put("maxclients", settings.number(Parameters.MAXCLIENTS))
        .put("blocked_clients", listeners.blocked().count() + keyspace.activity().pause().count())
        .put("tracking_clients", listeners.tracking().clientCount())
        .put("clients_in_timeout_table", listeners.blocked().count());
  }

  private void memory(InfoFields fields) {
    MemoryUse use = status.memory();
    long used = use.bytes();
    long peak = status.memoryPeakBytes();
    long resident = status.residentBytes();
    fields.putSize("used_memory", used);
    fields.putSize("used_memory_rss", resident);
    fields.putSize("used_memory_peak", peak);
    fields.put("used_memory_peak_perc", String.format(Locale.ROOT, "%.2f%%", 100.0 * used / peak));
    // The heap has garbage in it: what was in use at the start is nothing to subtract.
    long data = Math.min(used, keyspace.engine().dataBytes());
    fields.put("used_memory_overhead", used - data);
    fields.put("used_memory_dataset", data);
    fields.put("used_memory_heap", use.heapBytes());
    fields.put("heap_committed", use.heapCommittedBytes());
    fields.put("heap_max", use.heapMaxBytes());
    use.outside().forEach((name, bytes) -> fields.put("used_memory_" + name, bytes));
    OperatingSystemMXBean system = system();
    if (system != null) {
      fields.putSize("total_system_memory", system.getTotalMemorySize());
    }
    fields.putSize("maxmemory", settings.number(Parameters.MAXMEMORY));
    fields.put("maxmemory_policy", settings.text(Parameters.MAXMEMORY_POLICY));
    fields.put("number_of_cached_scripts", keyspace.scripts().count());
    fields.put("number_of_functions", keyspace.libraries().functionCount());
    fields.put("number_of_libraries", keyspace.libraries().all().size());
    fields.put(
        "mem_fragmentation_ratio", String.format(Locale.ROOT, "%.2f", (double) resident / used));
    fields.put("mem_fragmentation_bytes", resident - used);
    long backlog = keyspace.leading().stream().keptBytes();
    fields
        .putZeros("mem_not_counted_for_evict")
        .put("mem_replication_backlog", backlog)
        .put("mem_total_replication_buffers", backlog)
        .putZeros("mem_clients_slaves", "mem_cluster_links");
    fields.put("mem_aof_buffer", use.outside().getOrDefault("log_buffer", 0L));
    fields.put("mem_allocator", "java");
    fields.putZeros("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects");
  }

  private void persistence(InfoFields fields) {
    String refusal = keyspace.engine().writeRefusal();
    fields
        .put("loading", keyspace.following().isLoading() ? 1 : 0)
        .put("async_loading", 0)
        .putZeros("current_cow_peak", "current_cow_size", "current_cow_size_age")
        .put("current_fork_perc", "0.00")
        .put("rdb_changes_since_last_save", keyspace.changes())
        .put("rdb_bgsave_in_progress", persistence.isRunning() ? 1 : 0)
        .put("rdb_last_save_time", persistence.lastSaveMillis() / 1000)
        .put("rdb_last_bgsave_status", persistence.hasLastFailed() ? "err" : "ok")
        .put("rdb_last_bgsave_time_sec", persistence.lastInBackgroundSeconds())
        .put("rdb_current_bgsave_time_sec", persistence.inBackgroundSeconds())
        .put("rdb_saves", persistence.saves())
        .putZeros("rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded")
        .put("aof_enabled", 1)
        .put("aof_rewrite_in_progress", 0)
        .put("aof_rewrite_scheduled", 0)
        .put("aof_last_rewrite_time_sec", -1)
        .put("aof_current_rewrite_time_sec", -1)
        .put("aof_last_bgrewrite_status", "ok")
        .putZeros("aof_rewrites", "aof_rewrites_consecutive_failures")
        .put("aof_last_write_status", refusal == null ? "ok" : "err")
        .putZeros("aof_last_cow_size", "aof_pending_rewrite")
        .put("aof_pending_bio_fsync", status.isSyncing() ? 1 : 0)
        .put("aof_delayed_fsync", status.delayedSyncs())
        .putZeros("module_fork_in_progress", "module_fork_last_cow_size");
  }

  private void statistics(InfoFields fields, CommandStatistics inside) {
    fields
        .put("total_connections_received", clients.accepted())
        .put("total_commands_processed", status.commands())
        .put("instantaneous_ops_per_sec", status.commandsPerSecond())
        .put("total_net_input_bytes", status.inBytes())
        .put("total_net_output_bytes", status.outBytes())
        .putZeros("total_net_repl_input_bytes", "total_net_repl_output_bytes")
        .put("instantaneous_input_kbps", kibibytes(status.inBytesPerSecond()))
        .put("instantaneous_output_kbps", kibibytes(status.outBytesPerSecond()))
        .put("instantaneous_input_repl_kbps", "0.00")
        .put("instantaneous_output_repl_kbps", "0.00")
        .put("rejected_connections", clients.rejected())
        .put("sync_full", keyspace.leading().fulls())
        .put("sync_partial_ok", keyspace.leading().partials())
        .put("sync_partial_err", keyspace.leading().refusals())
        .put("expired_keys", status.expiredKeys())
        .put("evicted_keys", 0)
        .put("evicted_clients", clients.evicted())
        .put("keyspace_hits", status.keyspaceHits())
        .put("keyspace_misses", status.keyspaceMisses())
        .put("pubsub_channels", listeners.pubSub().channelCount())
        .put("pubsub_patterns", listeners.pubSub().patternCount())
        .put("pubsubshard_channels", listeners.pubSub().shardCount())
        .putZeros("latest_fork_usec", "total_forks")
        .put("event_loop_blocked_total", status.blockedLoops())
        .put("event_loop_blocked_itself_total", status.loopsBlockedThemselves())
        .put("event_loop_blocked_max_millis", status.longestBlockMillis())
        .put("event_loop_block_reads", status.blocksReadByLoops())
        .put("long_reads_total", keyspace.longReads().count())
        .put("long_writes_total", keyspace.longRun().writes())
        .put("tracking_total_keys", listeners.tracking().keyCount())
        .put("tracking_total_items", listeners.tracking().itemCount())
        .put("tracking_total_prefixes", listeners.tracking().prefixCount())
        .putZeros("migrate_cached_sockets", "slave_expires_tracked_keys")
        .putZeros("active_defrag_hits", "active_defrag_misses")
        .putZeros("active_defrag_key_hits", "active_defrag_key_misses")
        .putZeros("total_active_defrag_time", "current_active_defrag_time")
        .put("unexpected_error_replies", 0)
        .put("total_error_replies", sum(errors(inside)))
        .put("total_reads_processed", status.reads())
        .put("total_writes_processed", status.writes())
        .put(
            "garbage_pending_entries",
            keyspace.engine().store().counter(CounterIds.GARBAGE_ENTRIES))
        .put("garbage_pending_bytes", keyspace.engine().store().counter(CounterIds.GARBAGE_BYTES));
  }

  private static String kibibytes(long bytes) {
    return String.format(Locale.ROOT, "%.2f", bytes / 1024.0);
  }

  private static long sum(TreeMap<String, Long> counts) {
    long sum = 0;
    for (long count : counts.values()) {
      sum += count;
    }
    return sum;
  }

  private void cpu(InfoFields fields) {
    OperatingSystemMXBean system = system();
    double all = system == null ? 0 : system.getProcessCpuTime() / 1e9;
    ThreadTime main = status.keyspaceLoopTime();
    double inKernel = Math.min(all, status.systemSeconds());
    fields
        .put("used_cpu_sys", seconds(inKernel))
        .put("used_cpu_user", seconds(all - inKernel))
        .put("used_cpu_sys_children", seconds(0))
        .put("used_cpu_user_children", seconds(0))
        .put("used_cpu_sys_main_thread", seconds(main.systemSeconds()))
        .put("used_cpu_user_main_thread", seconds(main.userSeconds()));
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.6f", seconds);
  }

  private static @Nullable OperatingSystemMXBean system() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system
        : null;
  }

  private TreeMap<String, Long> errors(CommandStatistics inside) {
    TreeMap<String, Long> errors = status.errors();
    inside.addErrorsTo(errors);
    return errors;
  }

  private void errors(InfoFields fields, CommandStatistics inside) {
    errors(inside).forEach((code, count) -> fields.put("errorstat_" + code, "count=" + count));
  }

  private TreeMap<String, CallStatistics> calls(CommandStatistics inside) {
    TreeMap<String, CallStatistics> calls = status.calls();
    inside.addCallsTo(calls);
    return calls;
  }

  private void calls(InfoFields fields, CommandStatistics inside) {
    calls(inside)
        .forEach(
            (name, its) ->
                fields.put(
                    "cmdstat_" + name,
                    String.format(
                        Locale.ROOT,
                        "calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
                        its.calls(),
                        its.micros(),
                        its.calls() == 0 ? 0 : (double) its.micros() / its.calls(),
                        its.rejected(),
                        its.failed())));
  }

  private void latencies(InfoFields fields, CommandStatistics inside) {
    if (settings.number(Parameters.LATENCY_TRACKING) == 0) {
      return;
    }
    double[] percentiles =
        Percentiles.parse(settings.text(Parameters.LATENCY_TRACKING_INFO_PERCENTILES));
    calls(inside)
        .forEach(
            (name, its) -> {
              if (its.timed() > 0 && percentiles.length > 0) {
                fields.put("latency_percentiles_usec_" + name, percentiles(its, percentiles));
              }
            });
  }

  private static String percentiles(CallStatistics its, double[] percentiles) {
    StringBuilder text = new StringBuilder();
    for (double each : percentiles) {
      text.append(text.isEmpty() ? "p" : ",p")
          .append(BigDecimal.valueOf(each).stripTrailingZeros().toPlainString());
      text.append(String.format(Locale.ROOT, "=%.3f", its.percentileMicros(each)));
    }
    return text.toString();
  }

  private void keyspace(InfoFields fields, Transaction transaction) {
    for (int database = 0; database < transaction.databases().count(); database++) {
      int id = transaction.databaseId(database);
      long keys = keyspace.engine().store().counter(CounterIds.keys(id));
      if (keys > 0) {
        long expires = keyspace.engine().store().counter(CounterIds.expires(id));
        fields.put("db" + database, "keys=" + keys + ",expires=" + expires + ",avg_ttl=0");
      }
    }
  }
}
