package dev.varve.applications;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.redisson.Redisson;
import org.redisson.api.RMap;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;

/** The cluster clients of Lettuce, Jedis and Redisson against a cluster of one: prints what happened. */
public final class ClusterClientsUnderTest {
  private static final int KEYS = 300;

  private ClusterClientsUnderTest() {}

  public static void main(String[] args) {
    int port = Integer.parseInt(args[0]);
    lettuce(port);
    jedis(port);
    redisson(port);
    System.exit(0);
  }

  private static void say(Object... words) {
    System.out.println(
        IntStream.range(0, words.length)
            .mapToObj(i -> String.valueOf(words[i]))
            .collect(Collectors.joining(" ")));
  }

  private static void lettuce(int port) {
    RedisClusterClient client = RedisClusterClient.create("redis://127.0.0.1:" + port);
    try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
      connection.setReadFrom(ReadFrom.REPLICA_PREFERRED);
      RedisAdvancedClusterCommands<String, String> commands = connection.sync();
      say("lettuce", client.getPartitions().size(), client.getPartitions().getPartition(0).getSlots().size());
      Map<String, String> values = new TreeMap<>();
      for (int i = 0; i < KEYS; i++) {
        values.put("lettuce:" + i, "" + i);
      }
      say("mset", commands.mset(values));
      say("mget", commands.mget(values.keySet().toArray(new String[0])).size());
      say("dbsize", commands.dbsize());
      int found = 0;
      KeyScanCursor<String> cursor = commands.scan(ScanArgs.Builder.matches("lettuce:*").limit(50));
      found += cursor.getKeys().size();
      while (!cursor.isFinished()) {
        cursor = commands.scan(cursor, ScanArgs.Builder.matches("lettuce:*").limit(50));
        found += cursor.getKeys().size();
      }
      say("found", found);
      say("slot", commands.clusterKeyslot("lettuce:1"), commands.clusterCountKeysInSlot(commands.clusterKeyslot("lettuce:1").intValue()));
      say("deleted", commands.del(values.keySet().toArray(new String[0])));
    } finally {
      client.shutdown();
    }
  }

  private static void jedis(int port) {
    try (JedisCluster cluster = new JedisCluster(new HostAndPort("127.0.0.1", port))) {
      say("jedis", cluster.getClusterNodes().size());
      long sum = 0;
      for (int i = 0; i < KEYS; i++) {
        cluster.set("jedis:" + i, "" + i);
        sum += Long.parseLong(cluster.get("jedis:" + i));
      }
      say("sum", sum);
      say("tagged", cluster.mset("{t}a", "1", "{t}b", "2"), cluster.mget("{t}a", "{t}b", "{t}c"));
      say("script", cluster.eval("return redis.call('INCR', KEYS[1])", 1, "{t}n"));
    }
  }

  private static void redisson(int port) {
    Config config = new Config();
    config.useClusterServers().addNodeAddress("redis://127.0.0.1:" + port);
    RedissonClient client = Redisson.create(config);
    RMap<String, Integer> map = client.getMap("redisson:map");
    for (int i = 0; i < KEYS; i++) {
      map.fastPut("n" + i, i);
    }
    say("redisson", map.size(), map.get("n7"));
    client.getLock("redisson:lock").lock();
    say("locked", client.getLock("redisson:lock").isLocked());
    client.getLock("redisson:lock").unlock();
    say("batch", client.getKeys().count());
    client.shutdown();
  }
}
