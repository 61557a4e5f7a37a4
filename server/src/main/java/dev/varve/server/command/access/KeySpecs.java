package dev.varve.server.command.access;

import dev.varve.server.command.Command;
import dev.varve.server.command.CommandFlag;
import dev.varve.server.resp.Args;
import dev.varve.server.resp.RespEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Where the keys of a request are and what happens to them, and tips for clients and proxies, as
 * COMMAND INFO of Redis 7.0 has them, and of later ones for what is theirs: data for those who
 * route requests. This server itself goes by {@link Command#keyIndexes}.
 */
public final class KeySpecs {

  /*
   * Names; then, for each group of keys: flags, where to begin, how to find them.
   */
  private static final String TABLE =
      """
      append,hsetnx,linsert,lpush,lpushx,pfadd,rpush,rpushx RW,insert index:1 range:0:1:0
      sadd RW,insert index:1 range:0:1:0
      bitcount,bitfield_ro,bitpos,dump,expiretime,geodist RO,access index:1 range:0:1:0
      geohash,geopos,georadius_ro,georadiusbymember_ro RO,access index:1 range:0:1:0
      geosearch,get,getbit,getrange,hget,hgetall,hkeys,hmget RO,access index:1 range:0:1:0
      hrandfield,hscan,hvals,lindex,lpos,lrange,pexpiretime RO,access index:1 range:0:1:0
      pttl,smembers,smismember,srandmember,sscan,substr,ttl RO,access index:1 range:0:1:0
      xpending,xrange,xrevrange,zcount,zlexcount,zmscore RO,access index:1 range:0:1:0
      zrandmember,zrange,zrangebylex,zrangebyscore,zrank RO,access index:1 range:0:1:0
      zrevrange,zrevrangebylex,zrevrangebyscore,zrevrank RO,access index:1 range:0:1:0
      zscan,zscore RO,access index:1 range:0:1:0
      bitfield,set RW,access,update,variable_flags index:1 range:0:1:0
      bitop OW,update index:2 range:0:1:0 ; RO,access index:3 range:-1:1:0
      blmove RW,access,delete index:1 range:0:1:0 ; RW,insert index:2 range:0:1:0
      brpoplpush,lmove RW,access,delete index:1 range:0:1:0 ; RW,insert index:2 range:0:1:0
      rpoplpush,smove RW,access,delete index:1 range:0:1:0 ; RW,insert index:2 range:0:1:0
      blmpop,bzmpop RW,access,delete index:2 keynum:0:1:1
      blpop,brpop,bzpopmax,bzpopmin RW,access,delete index:1 range:-2:1:0
      copy RO,access index:1 range:0:1:0 ; OW,update index:2 range:0:1:0
      decr,decrby,getex,getset,hincrby,hincrbyfloat RW,access,update index:1 range:0:1:0
      incr,incrby,incrbyfloat,move,setbit,zincrby RW,access,update index:1 range:0:1:0
      del,unlink RM,delete index:1 range:-1:1:0
      eval,evalsha,fcall RW,access,update index:2 keynum:0:1:1
      eval_ro,evalsha_ro,fcall_ro RO,access index:2 keynum:0:1:1
      exists,touch,watch RO index:1 range:-1:1:0
      expire,expireat,geoadd,hmset,hset,lset,persist,pexpire RW,update index:1 range:0:1:0
      pexpireat,setrange,xack,xadd,xclaim,xsetid,zadd RW,update index:1 range:0:1:0
      georadius RO,access index:1 range:0:1:0 ; OW,update keyword:STORE:6 range:0:1:0 ; OW,update keyword:STOREDIST:6 range:0:1:0
      georadiusbymember RO,access index:1 range:0:1:0 ; OW,update keyword:STORE:5 range:0:1:0 ; OW,update keyword:STOREDIST:5 range:0:1:0
      geosearchstore OW,update index:1 range:0:1:0 ; RO,access index:2 range:0:1:0
      zrangestore OW,update index:1 range:0:1:0 ; RO,access index:2 range:0:1:0
      getdel,lpop,rpop,spop,zpopmax,zpopmin RW,access,delete index:1 range:0:1:0
      hdel,lrem,ltrim,srem,xautoclaim,xdel,xtrim,zrem RW,delete index:1 range:0:1:0
      zremrangebylex,zremrangebyrank,zremrangebyscore RW,delete index:1 range:0:1:0
      hexists,hlen,hstrlen,llen,scard,sismember,strlen,type,xlen RO index:1 range:0:1:0
      zcard RO index:1 range:0:1:0
      lcs RO,access index:1 range:1:1:0
      lmpop,zmpop RW,access,delete index:1 keynum:0:1:1
      memory|usage,object|idletime,object|encoding,object|freq RO index:2 range:0:1:0
      object|refcount RO index:2 range:0:1:0
      mget,sdiff,sinter,sunion RO,access index:1 range:-1:1:0
      migrate RW,access,delete index:3 range:0:1:0 ; RW,access,delete,incomplete keyword:KEYS:-2 range:-1:1:0
      mset OW,update index:1 range:-1:2:0
      msetnx OW,insert index:1 range:-1:2:0
      pfcount RW,access index:1 range:-1:1:0
      pfdebug RW,access index:2 range:0:1:0
      pfmerge RW,access,insert index:1 range:0:1:0 ; RO,access index:2 range:-1:1:0
      psetex,restore,restore-asking,setex OW,update index:1 range:0:1:0
      rename RW,access,delete index:1 range:0:1:0 ; OW,update index:2 range:0:1:0
      renamenx RW,access,delete index:1 range:0:1:0 ; OW,insert index:2 range:0:1:0
      sdiffstore,sunionstore OW,update index:1 range:0:1:0 ; RO,access index:2 range:-1:1:0
      setnx OW,insert index:1 range:0:1:0
      sintercard,zdiff,zinter,zintercard,zunion RO,access index:1 keynum:0:1:1
      sinterstore RW,update index:1 range:0:1:0 ; RO,access index:2 range:-1:1:0
      sort RO,access index:1 range:0:1:0 ; RO,access unknown unknown ; OW,update unknown unknown
      sort_ro RO,access index:1 range:0:1:0 ; RO,access unknown unknown
      spublish not_key index:1 range:0:1:0
      ssubscribe,sunsubscribe not_key index:1 range:-1:1:0
      xgroup|delconsumer,xgroup|destroy RW,delete index:2 range:0:1:0
      xgroup|createconsumer,xgroup|create RW,insert index:2 range:0:1:0
      xgroup|setid RW,update index:2 range:0:1:0
      xinfo|stream,xinfo|groups,xinfo|consumers RO,access index:2 range:0:1:0
      xread RO,access keyword:STREAMS:1 range:-1:1:2
      xreadgroup RO,access keyword:STREAMS:4 range:-1:1:2
      hexpire,hpexpire,hexpireat,hpexpireat,hpersist,hsetex RW,update index:1 range:0:1:0
      hgetdel RW,access,delete index:1 range:0:1:0
      delex RW,delete,variable_flags index:1 range:0:1:0
      delifeq RM,delete index:1 range:0:1:0
      msetex OW,update index:1 keynum:0:1:2
      hgetex RW,access,update index:1 range:0:1:0
      httl,hpttl,hexpiretime,hpexpiretime RO,access index:1 range:0:1:0
      zdiffstore,zinterstore OW,update index:1 range:0:1:0 ; RO,access index:2 keynum:0:1:1
      zunionstore OW,update index:1 range:0:1:0 ; RO,access index:2 keynum:0:1:1
      """;

  /* Names, then their tips. */
  private static final String TIPS =
      """
      client|info,client|list,cluster|slots,cluster|shards nondeterministic_output
      cluster|bumpepoch,cluster|replicas,cluster|nodes,cluster|info nondeterministic_output
      cluster|slaves,cluster|links,cluster|getkeysinslot nondeterministic_output
      cluster|count-failure-reports,dump,hrandfield,hscan,lastsave nondeterministic_output
      migrate,object|idletime,object|encoding,object|freq nondeterministic_output
      object|refcount,pttl,spop,srandmember,sscan,time,ttl,xadd nondeterministic_output
      xautoclaim,xclaim,xinfo|consumers,xpending,xtrim,zrandmember nondeterministic_output
      zscan nondeterministic_output
      command,command|info,command|docs,command|list nondeterministic_output_order
      function|list,hgetall,hkeys,hvals,module|list,sdiff nondeterministic_output_order
      sinter,smembers,sunion nondeterministic_output_order
      config|set,latency|reset request_policy:all_nodes response_policy:all_succeeded
      script|flush,script|load request_policy:all_nodes response_policy:all_succeeded
      slowlog|reset request_policy:all_nodes response_policy:all_succeeded
      dbsize request_policy:all_shards response_policy:agg_sum
      del,exists,touch,unlink request_policy:multi_shard response_policy:agg_sum
      flushall,flushdb request_policy:all_shards response_policy:all_succeeded
      function|flush request_policy:all_shards response_policy:all_succeeded
      function|restore request_policy:all_shards response_policy:all_succeeded
      function|delete,function|load request_policy:all_shards response_policy:all_succeeded
      memory|purge,ping request_policy:all_shards response_policy:all_succeeded
      function|kill,script|kill request_policy:all_shards response_policy:one_succeeded
      function|stats nondeterministic_output request_policy:all_shards response_policy:special
      info nondeterministic_output request_policy:all_shards response_policy:special
      memory|doctor nondeterministic_output request_policy:all_shards response_policy:special
      memory|malloc-stats nondeterministic_output request_policy:all_shards response_policy:special
      memory|stats nondeterministic_output request_policy:all_shards response_policy:special
      keys request_policy:all_shards nondeterministic_output_order
      latency|doctor nondeterministic_output request_policy:all_nodes response_policy:special
      latency|graph nondeterministic_output request_policy:all_nodes response_policy:special
      latency|histogram nondeterministic_output request_policy:all_nodes response_policy:special
      latency|latest nondeterministic_output request_policy:all_nodes response_policy:special
      latency|history nondeterministic_output request_policy:all_nodes response_policy:special
      mget request_policy:multi_shard
      mset,msetex request_policy:multi_shard response_policy:all_succeeded
      msetnx request_policy:multi_shard response_policy:agg_min
      randomkey request_policy:all_shards nondeterministic_output
      scan nondeterministic_output request_policy:special
      script|exists request_policy:all_shards response_policy:agg_logical_and
      slowlog|len request_policy:all_nodes response_policy:agg_sum nondeterministic_output
      slowlog|get request_policy:all_nodes nondeterministic_output
      wait,waitaof request_policy:all_shards response_policy:agg_min
      """;

  /** What becomes of a key: whether its value is read, and whether it is changed. */
  record Use(boolean isRead, boolean isChanged) {
    private static Use of(List<String> flags) {
      return new Use(
          flags.contains("access"),
          flags.contains("update") || flags.contains("insert") || flags.contains("delete"));
    }
  }

  /**
   * One group of keys, each part as the table has it.
   *
   * @param numbers those of where to begin and how to find, in their order; 0 for what is none
   */
  private record Spec(List<String> flags, Use use, String[] begin, String[] find, int[] numbers) {
    static Spec of(String flags, String begin, String find) {
      List<String> its = List.of(flags.split(","));
      String[] beginParts = begin.split(":");
      String[] findParts = find.split(":");
      return new Spec(
          its,
          Use.of(its),
          beginParts,
          findParts,
          new int[] {
            number(beginParts, beginParts.length - 1), number(findParts, 1), number(findParts, 2)
          });
    }

    private static int number(String[] parts, int index) {
      return index > 0 && index < parts.length ? Integer.parseInt(parts[index]) : 0;
    }

    /** The index to begin at, or to look for a keyword from. */
    int first() {
      return numbers[0];
    }

    /** Of a range the last key, of a number of keys where that stands. */
    int findNumber() {
      return numbers[1];
    }

    /** Of a range the step, of a number of keys the first of them. */
    int secondFindNumber() {
      return numbers[2];
    }
  }

  private static final Spec SET = Spec.of("OW,update", "index:1", "range:0:1:0");
  private static final Spec SET_GET = Spec.of("RW,access,update", "index:1", "range:0:1:0");
  private static final Spec DELEX = Spec.of("RM,delete", "index:1", "range:0:1:0");
  private static final Spec DELEX_COMPARING = Spec.of("RW,access,delete", "index:1", "range:0:1:0");
  private static final Spec BITFIELD_GET = Spec.of("RO,access", "index:1", "range:0:1:0");
  private static final Spec NONE = Spec.of("", "unknown", "unknown");

  private static final Map<String, List<Spec>> BY_NAME = new HashMap<>();
  private static final Map<String, List<String>> TIPS_BY_NAME = new HashMap<>();

  static {
    for (String line : TABLE.split("\n")) {
      int space = line.indexOf(' ');
      List<Spec> specs = new ArrayList<>();
      for (String group : line.substring(space + 1).split(" ; ")) {
        String[] words = group.split(" ");
        specs.add(Spec.of(words[0], words[1], words[2]));
      }
      for (String name : line.substring(0, space).split(",")) {
        BY_NAME.put(name, specs);
      }
    }
    for (String line : TIPS.split("\n")) {
      String[] words = line.split(" ");
      for (String name : words[0].split(",")) {
        TIPS_BY_NAME.put(name, List.of(words).subList(1, words.length));
      }
    }
  }

  private KeySpecs() {}

  public static List<String> tips(Command command) {
    return TIPS_BY_NAME.getOrDefault(command.fullName(), List.of());
  }

  /** Writes the groups of keys of a command, as COMMAND INFO shows them. */
  public static void describe(RespEncoder reply, Command command) {
    List<Spec> specs = BY_NAME.getOrDefault(command.fullName(), List.of());
    reply.set(specs.size());
    for (int i = 0; i < specs.size(); i++) {
      Spec spec = specs.get(i);
      String note = KeyNotes.of(command, i);
      reply.map(note == null ? 3 : 4);
      if (note != null) {
        reply.bulk("notes");
        reply.bulk(note);
      }
      reply.bulk("flags");
      reply.set(spec.flags.size());
      spec.flags.forEach(reply::status);
      reply.bulk("begin_search");
      part(reply, spec.begin);
      reply.bulk("find_keys");
      part(reply, spec.find);
    }
  }

  private static void part(RespEncoder reply, String[] part) {
    reply.map(2);
    reply.bulk("type");
    reply.bulk(part[0]);
    reply.bulk("spec");
    switch (part[0]) {
      case "index" -> numbers(reply, part, "index");
      case "range" -> numbers(reply, part, "lastkey", "keystep", "limit");
      case "keynum" -> numbers(reply, part, "keynumidx", "firstkey", "keystep");
      case "keyword" -> {
        reply.map(2);
        reply.bulk("keyword");
        reply.bulk(part[1]);
        reply.bulk("startfrom");
        reply.integer(Long.parseLong(part[2]));
      }
      default -> reply.map(0);
    }
  }

  private static void numbers(RespEncoder reply, String[] part, String... names) {
    reply.map(names.length);
    for (int i = 0; i < names.length; i++) {
      reply.bulk(names[i]);
      reply.integer(Long.parseLong(part[i + 1]));
    }
  }

  /** What a request does to the key at {@code index}, in the words of COMMAND GETKEYSANDFLAGS. */
  public static List<String> flags(Command command, Args request, int index) {
    List<String> flags = new ArrayList<>(spec(command, request, index).flags);
    flags.removeAll(List.of("", "incomplete", "variable_flags", "not_key"));
    return flags;
  }

  /** The same in short; of a command that the table does not have, all that it may do. */
  static Use use(Command command, Args request, int index) {
    return has(command)
        ? spec(command, request, index).use
        : new Use(true, !command.is(CommandFlag.READONLY));
  }

  /** Whether the table says where the keys of a command are. */
  static boolean has(Command command) {
    return BY_NAME.containsKey(command.fullName());
  }

  private static Spec spec(Command command, Args request, int index) {
    if (command.name().equals("set")) {
      boolean isRead =
          isOption(request, 3, "GET")
              || isOption(request, 3, "IFEQ")
              || isOption(request, 3, "IFNE");
      return isRead ? SET_GET : SET;
    }
    if (command.name().equals("delex")) {
      return request.count() == 2 ? DELEX : DELEX_COMPARING;
    }
    if (command.name().equals("bitfield") && onlyReads(request)) {
      return BITFIELD_GET;
    }
    Spec last = NONE;
    for (Spec spec : BY_NAME.getOrDefault(command.fullName(), List.of())) {
      last = spec;
      if (covers(spec, request, index)) {
        break;
      }
    }
    return last;
  }

  /** Whether a BITFIELD has nothing but GET, and OVERFLOW, which alone changes nothing. */
  private static boolean onlyReads(Args request) {
    int at = 2;
    while (at < request.count()) {
      int left = request.count() - 1 - at;
      if (request.is(at, "GET") && left >= 2) {
        at += 3;
      } else if (request.is(at, "OVERFLOW") && left >= 1) {
        at += 2;
      } else {
        return false;
      }
    }
    return true;
  }

  /** Whether what COMMAND INFO shows as keys are the names of channels, by which proxies route. */
  public static boolean areChannels(Command command) {
    List<Spec> specs = BY_NAME.getOrDefault(command.fullName(), List.of());
    return !specs.isEmpty() && specs.stream().allMatch(spec -> spec.flags.contains("not_key"));
  }

  private static boolean isOption(Args request, int from, String option) {
    for (int i = from; i < request.count(); i++) {
      if (request.is(i, option)) {
        return true;
      }
    }
    return false;
  }

  private static boolean covers(Spec spec, Args request, int index) {
    int begin = begin(spec, request);
    if (begin < 0) {
      return false;
    }
    int parts = request.count();
    switch (spec.find[0]) {
      case "range" -> {
        int lastKey = spec.findNumber();
        int step = spec.secondFindNumber();
        int last = lastKey < 0 ? parts + lastKey : begin + lastKey;
        return index >= begin && index <= last && (index - begin) % step == 0;
      }
      case "keynum" -> {
        return index >= begin + spec.secondFindNumber();
      }
      default -> {
        return false;
      }
    }
  }

  private static int begin(Spec spec, Args request) {
    switch (spec.begin[0]) {
      case "index" -> {
        return spec.first();
      }
      case "keyword" -> {
        String keyword = spec.begin[1].toUpperCase(Locale.ROOT);
        int from = spec.first();
        for (int i = Math.max(1, from); i < request.count(); i++) {
          if (request.is(i, keyword)) {
            return i + 1;
          }
        }
        return -1;
      }
      default -> {
        return -1;
      }
    }
  }
}
