package dev.varve.server.config;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Parameters of Redis 7.0 that have no meaning here: clients and tools set them and read them back,
 * so they are taken, checked as Redis checks them, and shown; nothing else happens.
 *
 * <p>Those that ask for something which would be missed (a file of access rules, a cluster) take no
 * value but the one that asks for nothing.
 */
final class EchoedParameters {

  /*
   * Name and older name; whether CONFIG SET changes it, always or where guarded ones may be, or it
   * is hidden; kind with bounds, and those to which a number is brought; default.
   */
  private static final String TABLE =
      """
      active-defrag-cycle-max changes number:1:99 25
      active-defrag-cycle-min changes number:1:99 1
      active-defrag-ignore-bytes changes memory:1: 104857600
      active-defrag-max-scan-fields changes number:1: 1000
      active-defrag-threshold-lower changes number:0:1000 10
      active-defrag-threshold-upper changes number:0:1000 100
      active-expire-effort changes number:1:10 1
      activedefrag changes no-only no
      activerehashing changes yes-no yes
      always-show-logo stays yes-no no
      aof-disable-auto-gc changes yes-no no
      aof-load-truncated changes yes-no yes
      aof-rewrite-incremental-fsync changes yes-no yes
      aof-timestamp-enabled changes yes-no no
      aof-use-rdb-preamble changes yes-no yes
      aof_rewrite_cpulist stays text
      appenddirname stays text appendonlydir
      appendfilename stays text appendonly.aof
      auto-aof-rewrite-min-size changes memory:0: 67108864
      auto-aof-rewrite-percentage changes number:0:2147483647 100
      bgsave_cpulist stays text
      bind-source-addr changes text
      bio_cpulist stays text
      cluster-allow-pubsubshard-when-down changes yes-no yes
      cluster-allow-reads-when-down changes yes-no no
      cluster-allow-replica-migration changes yes-no yes
      cluster-announce-bus-port changes number:0:65535 0
      cluster-config-file stays text nodes.conf
      cluster-link-sendbuf-limit changes memory:0: 0
      cluster-migration-barrier changes number:0:2147483647 1
      cluster-node-timeout changes number:0: 15000
      cluster-port stays number:0:65535 0
      cluster-replica-no-failover|cluster-slave-no-failover changes yes-no no
      cluster-replica-validity-factor|cluster-slave-validity-factor changes number:0:2147483647 10
      cluster-require-full-coverage changes yes-no yes
      crash-log-enabled changes yes-no yes
      crash-memcheck-enabled changes yes-no yes
      daemonize stays foreground no
      dbfilename guarded file-name dump.rdb
      disable-thp stays yes-no yes
      dynamic-hz changes yes-no yes
      enable-module-command stays one-of:no,yes,local no
      enable-protected-configs stays one-of:no,yes,local no
      hll-sparse-max-bytes changes memory:0: 3000
      hz changes number:0:2147483647:1:500 10
      ignore-warnings changes text
      io-threads-do-reads stays yes-no no
      jemalloc-bg-thread changes yes-no yes
      lazyfree-lazy-eviction changes yes-no no
      lazyfree-lazy-expire changes yes-no no
      lazyfree-lazy-server-del changes yes-no no
      lazyfree-lazy-user-del changes yes-no no
      lazyfree-lazy-user-flush changes yes-no no
      list-compress-depth changes number:0:2147483647 0
      logfile stays text
      maxmemory-clients changes memory-or-share 0
      maxmemory-eviction-tenacity changes number:0:100 10
      maxmemory-samples changes number:1:2147483647 5
      no-appendfsync-on-rewrite changes yes-no no
      oom-score-adj changes one-of:no,yes,relative,absolute:relative=yes no
      oom-score-adj-values changes oom-scores 0 200 800
      pidfile stays text
      proc-title-template changes title {title} {listen-addr} {server-mode}
      propagation-error-behavior changes one-of:ignore,panic,panic-on-replicas ignore
      rdb-del-sync-files changes yes-no no
      rdb-save-incremental-fsync changes yes-no yes
      rdbchecksum stays yes-no yes
      rdbcompression changes yes-no yes
      repl-disable-tcp-nodelay changes yes-no no
      repl-diskless-load changes one-of:disabled,on-empty-db,swapdb disabled
      repl-diskless-sync changes yes-no yes
      repl-diskless-sync-delay changes number:0:2147483647 5
      repl-diskless-sync-max-replicas changes number:0:2147483647 0
      replica-announced changes yes-no yes
      replica-ignore-disk-write-errors changes yes-no no
      replica-ignore-maxmemory|slave-ignore-maxmemory changes yes-no yes
      replica-lazy-flush|slave-lazy-flush changes yes-no no
      replica-priority|slave-priority changes number:0:2147483647 100
      sanitize-dump-payload changes one-of:no,yes,clients no
      server_cpulist stays text
      set-max-intset-entries changes number:0: 512
      set-proc-title stays yes-no yes
      shutdown-on-sigint changes shutdown-options default
      shutdown-on-sigterm changes shutdown-options default
      socket-mark-id stays number:0:4294967295 0
      stop-writes-on-bgsave-error changes yes-no yes
      supervised stays one-of:upstart,systemd,auto,no no
      syslog-enabled stays one-of:no no
      syslog-facility stays one-of:user,local0,local1,local2,local3,local4,local5,local6,local7 local0
      syslog-ident stays text redis
      tls-cluster changes no-only no
      use-exit-on-panic hidden yes-no no
      lua-enable-deprecated-api hidden yes-no no
      rdb-key-save-delay hidden number:-2147483648:2147483647 0
      key-load-delay hidden number:-2147483648:2147483647 0
      watchdog-period hidden number:0:2147483647 0
      loading-process-events-interval-bytes hidden number:1024:2147483647 2097152
      """;

  private static final String HELP = "taken and shown, without effect";

  private EchoedParameters() {}

  /** All of them under their names, older ones included. */
  static Map<String, Parameter> byName() {
    Map<String, Parameter> byName = new LinkedHashMap<>();
    for (String line : TABLE.split("\n")) {
      String[] words = line.split(" ", 4);
      String[] names = words[0].split("\\|");
      Parameter parameter = of(names[0], words[2], words.length < 4 ? "" : words[3]);
      switch (words[1]) {
        case "changes" -> parameter = parameter.mutable();
        case "guarded" -> parameter = parameter.guarded();
        case "hidden" -> parameter = parameter.mutable().hidden();
        default -> {}
      }
      for (String its : names) {
        byName.put(its, parameter);
      }
    }
    return byName;
  }

  private static Parameter of(String name, String kind, String byDefault) {
    String[] parts = kind.split(":", -1);
    return switch (parts[0]) {
      case "yes-no" -> Parameter.yesNo(name, byDefault.equals("yes"), HELP);
      case "foreground" -> Parameter.yesNo(name, false, HELP).mergedBy(EchoedRules::foreground);
      case "no-only" -> Parameter.yesNo(name, false, HELP).mergedBy(EchoedRules::no);
      case "number" ->
          within(
              parts,
              Parameter.integer(
                  name, Long.parseLong(byDefault), bound(parts[1]), bound(parts[2]), HELP));
      case "memory" ->
          within(parts, Parameter.memory(name, byDefault, bound(parts[1]), bound(parts[2]), HELP));
      case "one-of" -> sameAs(parts, Parameter.choice(name, HELP, byDefault, parts[1].split(",")));
      case "text" -> Parameter.text(name, byDefault, HELP);
      case "file-name" -> text(name, byDefault, EchoedRules::fileName);
      case "title" -> text(name, byDefault, EchoedRules::title);
      case "memory-or-share" -> text(name, byDefault, EchoedRules::sizeOrShare);
      case "oom-scores" -> text(name, byDefault, EchoedRules::oomScores).manyWords();
      case "shutdown-options" -> text(name, byDefault, EchoedRules::shutdownOptions).manyWords();
      case "empty" -> text(name, byDefault, EchoedRules::nothing);
      default -> throw new IllegalStateException(name + ": " + kind);
    };
  }

  private static Parameter text(String name, String byDefault, Parameter.Merge rule) {
    return Parameter.text(name, byDefault, HELP).mergedBy(rule);
  }

  /** With the bounds to which what is allowed is brought, where there are such. */
  private static Parameter within(String[] parts, Parameter parameter) {
    if (parts.length < 4) {
      return parameter;
    }
    long least = bound(parts[3]);
    long most = bound(parts[4]);
    return parameter.mergedBy(
        (before, change) -> {
          long number = parameter.parse(change).number();
          return Long.toString(Math.max(least, Math.min(most, number)));
        });
  }

  /** With the word that is shown for another, where there is one. */
  private static Parameter sameAs(String[] parts, Parameter parameter) {
    if (parts.length < 3) {
      return parameter;
    }
    String[] pair = parts[2].split("=");
    return parameter.mergedBy(
        (before, change) -> change.equalsIgnoreCase(pair[0]) ? pair[1] : change);
  }

  private static long bound(String text) {
    return text.isEmpty() ? Long.MAX_VALUE : Long.parseLong(text);
  }
}
