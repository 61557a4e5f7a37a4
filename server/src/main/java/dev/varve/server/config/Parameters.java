package dev.varve.server.config;

import dev.varve.codec.string.Strings;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All parameters of a server, in the order in which --help shows them. Names, kinds, bounds and
 * defaults are Redis 7.0's where it has the same.
 */
public final class Parameters {
  private static final long UINT_MAX = 0xFFFF_FFFFL;

  public static final Parameter PORT =
      Parameter.integer(
              "port",
              6379,
              0,
              65535,
              "TCP port to listen on; 0: none where there is a tls-port or a unixsocket, else any"
                  + " free one, which the start names")
          .mutable();
  public static final Parameter BIND =
      Parameter.text("bind", "127.0.0.1", "addresses to listen on")
          .manyWords()
          .checkedBy(Parameters::checkReachable)
          .fixed();
  public static final Parameter PROTECTED_MODE =
      Parameter.yesNo(
              "protected-mode",
              true,
              "without a password, clients of other machines are told so and closed")
          .mutable();
  public static final Parameter DIRECTORY =
      Parameter.text("dir", "./varve-data", "directory that holds the data")
          .checkedBy(PathRules::checkNamed)
          .mergedBy((before, change) -> PathRules.realPath(change))
          .fixed();
  public static final Parameter BACKUP_DIRECTORY =
      Parameter.text(
              "backup-dir", "", "directory in which SAVE and BGSAVE leave backups; empty: none")
          .checkedBy(PathRules::checkDirectory)
          .mergedBy(
              (before, change) ->
                  change.isEmpty() ? change : PathRules.wholePath(change).toString())
          .fixed();
  public static final Parameter BACKUP_KEEP =
      Parameter.integer(
              "backup-keep", 1, 1, Integer.MAX_VALUE, "how many backups stay, the newest ones")
          .mutable();
  public static final Parameter APPENDFSYNC =
      Parameter.choice(
              "appendfsync", "when the log is synced", "everysec", "everysec", "always", "no")
          .mutable();
  public static final Parameter REQUIREPASS =
      Parameter.text("requirepass", "", "password that clients must give by AUTH").mutable();
  public static final Parameter ACLFILE =
      Parameter.text(
              "aclfile", "", "file of users, one a line, which ACL LOAD reads and ACL SAVE writes")
          .checkedBy(PathRules::checkFile);

  /** Each char of its value is a byte, as of what ACL is told. */
  public static final Parameter USER =
      Parameter.text(
              "user", "", "a name and its rules: a user, one a line, where there is no aclfile")
          .manyWords()
          .mergedBy((before, change) -> before.isEmpty() ? change : before + '\n' + change)
          .hidden();

  public static final Parameter ACL_PUBSUB_DEFAULT =
      Parameter.choice(
              "acl-pubsub-default",
              "whether new users hear of all channels, until it is said otherwise",
              "resetchannels",
              "allchannels",
              "resetchannels")
          .mutable();
  public static final Parameter DATABASES =
      Parameter.integer("databases", 16, 1, 1 << 16, "how many databases SELECT knows");
  public static final Parameter MAXMEMORY =
      Parameter.memory(
              "maxmemory",
              "0",
              0,
              Long.MAX_VALUE,
              "memory for buffers and caches, taken at start; 0: a quarter of the machine's; with"
                  + " less than 8 MiB no write is taken")
          .mutable();
  public static final Parameter MIN_REPLICAS_TO_WRITE =
      Parameter.integer(
              "min-replicas-to-write",
              0,
              0,
              Integer.MAX_VALUE,
              "writes are refused with fewer replicas")
          .mutable();
  public static final Parameter MIN_REPLICAS_MAX_LAG =
      Parameter.integer(
              "min-replicas-max-lag",
              10,
              0,
              Integer.MAX_VALUE,
              "seconds that such a replica may lag behind; 0: none is asked for")
          .mutable();
  public static final Parameter MAXMEMORY_POLICY =
      Parameter.choice(
              "maxmemory-policy",
              "whether OBJECT answers IDLETIME or (lfu) FREQ; nothing is evicted",
              "noeviction",
              "volatile-lru",
              "volatile-lfu",
              "volatile-random",
              "volatile-ttl",
              "allkeys-lru",
              "allkeys-lfu",
              "allkeys-random",
              "noeviction")
          .mutable();
  public static final Parameter LFU_LOG_FACTOR =
      Parameter.integer(
              "lfu-log-factor",
              10,
              0,
              Integer.MAX_VALUE,
              "under an LFU policy, how many more uses OBJECT FREQ takes for each step up")
          .mutable();
  public static final Parameter LFU_DECAY_TIME =
      Parameter.integer(
              "lfu-decay-time",
              1,
              0,
              Integer.MAX_VALUE,
              "under an LFU policy, minutes without use for each step down; 0: none")
          .mutable();
  public static final Parameter DIRECT_READS =
      Parameter.yesNo(
              "direct-reads",
              false,
              "read tables past the system's page cache: for data many times as large as memory")
          .fixed();
  public static final Parameter IO_THREADS =
      Parameter.integer("io-threads", 1, 1, 128, "event loops; the first one also runs all writes");
  public static final Parameter IO_TRANSPORT =
      Parameter.choice(
              "io-transport",
              "what serves sockets: the JDK, or the kernel's io_uring, where it is to be had",
              "nio",
              "nio",
              "io_uring")
          .fixed();
  public static final Parameter EVENT_LOOP_BLOCKED_MILLIS =
      Parameter.integer(
              "event-loop-blocked-millis",
              1000,
              1,
              60_000,
              "an event loop busy with one task for longer is counted and logged")
          .fixed();
  public static final Parameter MAXCLIENTS =
      Parameter.integer("maxclients", 10_000, 1, UINT_MAX, "clients that may be connected")
          .mutable();
  public static final Parameter TIMEOUT =
      Parameter.integer(
              "timeout",
              0,
              0,
              Integer.MAX_VALUE,
              "seconds before an idle client is closed; 0: never")
          .mutable();
  public static final Parameter LONG_REPLY_TIMEOUT =
      Parameter.integer(
              "long-reply-timeout",
              60,
              0,
              Integer.MAX_VALUE,
              "seconds that a client may take for the next 256 KiB of a long reply; 0: any time")
          .mutable();
  public static final Parameter TCP_KEEPALIVE =
      Parameter.integer(
              "tcp-keepalive",
              300,
              0,
              Integer.MAX_VALUE,
              "seconds after which a quiet client is probed, from its start on; 0: never")
          .mutable();
  public static final Parameter TCP_BACKLOG =
      Parameter.integer("tcp-backlog", 511, 0, Integer.MAX_VALUE, "connections waiting for accept");

  public static final Parameter PROTO_MAX_BULK_LEN =
      Parameter.memory(
              "proto-max-bulk-len",
              "512mb",
              1 << 20,
              Strings.BYTES_MAX_EVER,
              "longest argument of a command")
          .mutable();
  public static final Parameter CLIENT_QUERY_BUFFER_LIMIT =
      Parameter.memory(
              "client-query-buffer-limit",
              "1gb",
              1 << 20,
              Long.MAX_VALUE,
              "a client is closed whose unfinished request takes more, or three quarters of the"
                  + " heap")
          .mutable();
  public static final Parameter CLIENT_OUTPUT_BUFFER_LIMIT =
      Parameter.text(
              "client-output-buffer-limit",
              OutputBufferLimits.DEFAULT,
              "class, hard limit, soft limit, seconds: for what a client does not read")
          .manyWords()
          .checkedBy(OutputBufferLimits::parse)
          .mergedBy(OutputBufferLimits::merge)
          .mutable();
  public static final Parameter NOTIFY_KEYSPACE_EVENTS =
      Parameter.text(
              "notify-keyspace-events", "", "classes of events that are published: Ag$lszhxetdnKEm")
          .checkedBy(EventLetters::check)
          .mergedBy((before, change) -> EventLetters.inOrder(change))
          .mutable();
  public static final Parameter SLOWLOG_LOG_SLOWER_THAN =
      Parameter.integer(
              "slowlog-log-slower-than",
              10_000,
              -1,
              Long.MAX_VALUE,
              "microseconds from which a command is noted; -1: none is")
          .mutable();
  public static final Parameter SLOWLOG_MAX_LEN =
      Parameter.integer(
              "slowlog-max-len", 128, 0, Long.MAX_VALUE, "how many slow commands are remembered")
          .mutable();
  public static final Parameter ACLLOG_MAX_LEN =
      Parameter.integer(
              "acllog-max-len", 128, 0, Long.MAX_VALUE, "how many refused logins are remembered")
          .mutable();
  public static final Parameter LATENCY_MONITOR_THRESHOLD =
      Parameter.integer(
              "latency-monitor-threshold",
              0,
              0,
              Long.MAX_VALUE,
              "milliseconds from which LATENCY notes a delay; 0: none")
          .mutable();
  public static final Parameter LATENCY_TRACKING =
      Parameter.yesNo("latency-tracking", true, "how long commands take is counted for each")
          .mutable();
  public static final Parameter LATENCY_TRACKING_INFO_PERCENTILES =
      Parameter.text(
              "latency-tracking-info-percentiles", "50 99 99.9", "what INFO latencystats shows")
          .manyWords()
          .checkedBy(Percentiles::check)
          .mergedBy((before, change) -> Percentiles.shown(change))
          .mutable();
  public static final Parameter BUSY_REPLY_THRESHOLD =
      Parameter.integer(
              "busy-reply-threshold",
              5000,
              0,
              Long.MAX_VALUE,
              "milliseconds of a script before others are told BUSY; 0: they wait")
          .mutable();
  public static final Parameter LONG_READ_THRESHOLD =
      Parameter.integer(
              "long-read-threshold",
              3,
              0,
              Integer.MAX_VALUE,
              "milliseconds of a read before it goes on beside the event loop; 0: any time")
          .mutable();
  public static final Parameter LONG_WRITE_THRESHOLD =
      Parameter.integer(
              "long-write-threshold",
              5,
              0,
              Integer.MAX_VALUE,
              "milliseconds of a write or script before it goes on beside the event loop; 0: any")
          .mutable();
  public static final Parameter TRACKING_TABLE_MAX_KEYS =
      Parameter.integer(
              "tracking-table-max-keys",
              1_000_000,
              0,
              Long.MAX_VALUE,
              "how many keys CLIENT TRACKING remembers")
          .mutable();
  public static final Parameter ENABLE_DEBUG_COMMAND =
      Parameter.choice("enable-debug-command", "who may use DEBUG", "no", "no", "yes", "local");
  public static final Parameter LOGLEVEL =
      Parameter.choice(
              "loglevel", "how much is logged", "notice", "debug", "verbose", "notice", "warning")
          .fixed();
  public static final Parameter APPENDONLY =
      Parameter.yesNo("appendonly", true, "every write is logged")
          .checkedBy(Parameters::checkLogged)
          .mutable();
  public static final Parameter SAVE =
      Parameter.text("save", "", "accepted and of no effect: every write is on disk anyway")
          .manyWords()
          .mergedBy(EchoedRules::saves)
          .mutable();

  private static final List<Parameter> OTHERS =
      List.of(
          PORT,
          BIND,
          PROTECTED_MODE,
          DIRECTORY,
          BACKUP_DIRECTORY,
          BACKUP_KEEP,
          APPENDFSYNC,
          REQUIREPASS,
          ACLFILE,
          USER,
          ACL_PUBSUB_DEFAULT,
          DATABASES,
          MAXMEMORY,
          MAXMEMORY_POLICY,
          LFU_LOG_FACTOR,
          LFU_DECAY_TIME,
          MIN_REPLICAS_TO_WRITE,
          MIN_REPLICAS_MAX_LAG,
          DIRECT_READS,
          IO_THREADS,
          IO_TRANSPORT,
          EVENT_LOOP_BLOCKED_MILLIS,
          MAXCLIENTS,
          TIMEOUT,
          LONG_REPLY_TIMEOUT,
          TCP_KEEPALIVE,
          TCP_BACKLOG,
          PROTO_MAX_BULK_LEN,
          CLIENT_QUERY_BUFFER_LIMIT,
          CLIENT_OUTPUT_BUFFER_LIMIT,
          NOTIFY_KEYSPACE_EVENTS,
          SLOWLOG_LOG_SLOWER_THAN,
          SLOWLOG_MAX_LEN,
          ACLLOG_MAX_LEN,
          LATENCY_MONITOR_THRESHOLD,
          LATENCY_TRACKING,
          LATENCY_TRACKING_INFO_PERCENTILES,
          BUSY_REPLY_THRESHOLD,
          LONG_READ_THRESHOLD,
          LONG_WRITE_THRESHOLD,
          TRACKING_TABLE_MAX_KEYS,
          ENABLE_DEBUG_COMMAND,
          LOGLEVEL,
          APPENDONLY,
          SAVE);

  private static final List<Parameter> ALL =
      Stream.of(
              OTHERS,
              PackedParameters.ALL,
              TlsParameters.ALL,
              UnixSocketParameters.ALL,
              ReplicationParameters.ALL,
              ClusterParameters.ALL)
          .flatMap(List::stream)
          .toList();

  private static final Map<String, Parameter> BY_NAME = new TreeMap<>();

  static {
    for (Parameter parameter : ALL) {
      BY_NAME.put(parameter.name(), parameter);
    }
    BY_NAME.putAll(EchoedParameters.byName());
    // Redis's names before 7.0.
    BY_NAME.put("hash-max-ziplist-entries", PackedParameters.HASH_MAX_ENTRIES);
    BY_NAME.put("hash-max-ziplist-value", PackedParameters.HASH_MAX_VALUE);
    BY_NAME.put("zset-max-ziplist-entries", PackedParameters.ZSET_MAX_ENTRIES);
    BY_NAME.put("zset-max-ziplist-value", PackedParameters.ZSET_MAX_VALUE);
    BY_NAME.put("list-max-ziplist-size", PackedParameters.LIST_MAX_SIZE);
    BY_NAME.put("lua-time-limit", BUSY_REPLY_THRESHOLD);
    BY_NAME.put("min-slaves-to-write", MIN_REPLICAS_TO_WRITE);
    BY_NAME.put("min-slaves-max-lag", MIN_REPLICAS_MAX_LAG);
    BY_NAME.putAll(ReplicationParameters.OLD_NAMES);
  }

  private Parameters() {}

  /** A server that listens nowhere is of no use: Redis ends as well. */
  private static void checkReachable(String addresses) throws ConfigException {
    if (addresses.isBlank()) {
      throw new ConfigException("must name an address");
    }
  }

  private static void checkLogged(String text) throws ConfigException {
    if (text.equalsIgnoreCase("no")) {
      throw new ConfigException("must be yes: the log is what a start reads");
    }
  }

  /** All parameters that have a meaning here. */
  public static List<Parameter> all() {
    return ALL;
  }

  /** The parameter of this name in any case, Redis's older names included, or null. */
  public static @Nullable Parameter find(String name) {
    return BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }

  /** All names, older ones included, with their parameters, in alphabetical order. */
  static Map<String, Parameter> byName() {
    return BY_NAME;
  }
}
