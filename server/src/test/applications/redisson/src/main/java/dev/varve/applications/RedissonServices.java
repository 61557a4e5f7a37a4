package dev.varve.applications;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.redisson.Redisson;
import org.redisson.api.ExecutorOptions;
import org.redisson.api.RFencedLock;
import org.redisson.api.RListMultimapCache;
import org.redisson.api.RLocalCachedMap;
import org.redisson.api.RLock;
import org.redisson.api.RMapCache;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RRingBuffer;
import org.redisson.api.RScheduledExecutorService;
import org.redisson.api.RStream;
import org.redisson.api.RTimeSeries;
import org.redisson.api.RTransferQueue;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.api.StreamMessageId;
import org.redisson.api.WorkerOptions;
import org.redisson.api.map.event.EntryExpiredListener;
import org.redisson.api.options.LocalCachedMapOptions;
import org.redisson.api.stream.StreamAddArgs;
import org.redisson.api.stream.StreamCreateGroupArgs;
import org.redisson.api.stream.StreamReadGroupArgs;
import org.redisson.codec.SerializationCodec;
import org.redisson.config.Config;

/** What two Redisson clients do together, and what Redisson does in the background. */
final class RedissonServices {
  private static final long SECONDS_MAX = 20;

  private RedissonServices() {}

  /** A service that one client offers to the other. */
  public interface Squares {
    int square(int n);
  }

  /** A task that travels. */
  public static final class Task implements Callable<String>, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public String call() {
      return "ran";
    }
  }

  static void all(Config config, ExecutorService threads) throws Exception {
    config.setLockWatchdogTimeout(900);
    config.setMinCleanUpDelay(1);
    RedissonClient one = Redisson.create(config);
    RedissonClient two = Redisson.create(config);
    watchdog(one, two);
    fairness(one, threads);
    caches(one, two);
    limits(one);
    buffers(one, threads);
    streams(one);
    services(one, two, threads);
    one.shutdown(0, 1, TimeUnit.SECONDS);
    two.shutdown(0, 1, TimeUnit.SECONDS);
  }

  private static void say(String what, Object value) {
    System.out.println(what + ": " + value);
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new TimeoutException("what has to come does not");
      }
      Thread.sleep(5);
    }
  }

  /** A lock without a lease is held on to for as long as its client lives. */
  private static void watchdog(RedissonClient one, RedissonClient two) throws Exception {
    one.getLock("watched").lock();
    say("after two watchdog times", two.getLock("watched").tryLock(1800, TimeUnit.MILLISECONDS));
    say("forced", two.getLock("watched").forceUnlock());
    RFencedLock fenced = one.getFencedLock("fenced");
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      tokens.add(fenced.lockAndGetToken());
      fenced.unlock();
    }
    say("tokens", tokens);
    RLock spin = one.getSpinLock("spin");
    spin.lock();
    say("spins", two.getSpinLock("spin").tryLock(50, TimeUnit.MILLISECONDS));
    spin.unlock();
  }

  /** Those who wait for a fair lock get it in the order of their asking. */
  private static void fairness(RedissonClient one, ExecutorService threads) throws Exception {
    RLock lock = one.getFairLock("in turn");
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Future<?>> waiting = new ArrayList<>();
    lock.lock();
    for (int i = 0; i < 5; i++) {
      int number = i;
      waiting.add(
          threads.submit(
              () -> {
                lock.lock();
                order.add(number);
                lock.unlock();
              }));
      await(() -> one.getDeque("redisson_lock_queue:{in turn}").size() > number);
    }
    lock.unlock();
    for (Future<?> each : waiting) {
      each.get(20, TimeUnit.SECONDS);
    }
    say("in turn", order);
  }

  private static void caches(RedissonClient one, RedissonClient two) throws Exception {
    LocalCachedMapOptions<String, String> options = LocalCachedMapOptions.name("near");
    RLocalCachedMap<String, String> near = one.getLocalCachedMap(options);
    RLocalCachedMap<String, String> far = two.getLocalCachedMap(options);
    near.put("k", "a");
    say("near", near.get("k") + " " + far.get("k"));
    near.put("k", "b");
    await(() -> "b".equals(far.get("k")));
    say("invalidated", far.get("k"));
    RMapCache<String, String> bounded = one.getMapCache("bounded map");
    bounded.setMaxSize(3);
    for (int i = 0; i < 6; i++) {
      bounded.put("k" + i, "v");
      // Which one is the oldest is told by milliseconds.
      Thread.sleep(2);
    }
    say("newest", new TreeSet<>(bounded.readAllKeySet()));
    RMapCache<String, String> heard = one.getMapCache("heard");
    CountDownLatch expired = new CountDownLatch(1);
    heard.addListener((EntryExpiredListener<String, String>) event -> expired.countDown());
    heard.put("k", "v", 200, TimeUnit.MILLISECONDS);
    say("heard of the end", expired.await(15, TimeUnit.SECONDS));
    RListMultimapCache<String, Integer> multi = one.getListMultimapCache("multi");
    multi.putAll("primes", List.of(2, 3, 5));
    multi.put("primes", 7);
    say("multimap", multi.getAll("primes") + " " + multi.expireKey("primes", 1, TimeUnit.HOURS));
  }

  private static void limits(RedissonClient one) {
    RRateLimiter limiter = one.getRateLimiter("refilled");
    limiter.trySetRate(RateType.OVERALL, 2, Duration.ofMillis(500));
    long from = System.nanoTime();
    for (int i = 0; i < 6; i++) {
      limiter.acquire();
    }
    long tookMillis = (System.nanoTime() - from) / 1_000_000;
    say("six at two in half a second", tookMillis >= 900);
  }

  private static void buffers(RedissonClient one, ExecutorService threads) throws Exception {
    RRingBuffer<Integer> ring = one.getRingBuffer("ring");
    ring.trySetCapacity(3);
    ring.addAll(List.of(1, 2, 3, 4, 5));
    say("ring", ring.readAll());
    RTransferQueue<String> transfers = one.getTransferQueue("transfers");
    Callable<String> takes = transfers::take;
    Future<String> taken = threads.submit(takes);
    say("handed over", transfers.tryTransfer("parcel", 10, TimeUnit.SECONDS) + " " + taken.get());
    RTimeSeries<String, Object> series = one.getTimeSeries("series");
    for (int i = 1; i <= 4; i++) {
      series.add(i * 10, "at " + i * 10);
    }
    say("series", series.range(15, 35) + " " + series.pollLast());
    series.destroy();
    var numbers = one.getIdGenerator("ids");
    numbers.tryInit(100, 10);
    say("ids", numbers.nextId() + " " + numbers.nextId());
    var bits = one.getBitSet("bits");
    bits.set(3, 6);
    say("bits", bits.cardinality() + " " + bits.length() + " " + bits.asBitSet());
    var words = one.getLexSortedSet("words");
    words.addAll(List.of("b", "a", "d", "c"));
    say("words", words.range("b", true, "d", false));
    var places = one.getGeo("places");
    places.add(13.361389, 38.115556, "Palermo");
    places.add(15.087269, 37.502669, "Catania");
    say("geo", places.dist("Palermo", "Catania", org.redisson.api.GeoUnit.KILOMETERS));
  }

  private static void streams(RedissonClient one) {
    RStream<String, String> stream = one.getStream("stream");
    stream.createGroup(StreamCreateGroupArgs.name("group").id(StreamMessageId.ALL).makeStream());
    stream.add(new StreamMessageId(1, 0), StreamAddArgs.entry("k", "a"));
    stream.add(new StreamMessageId(2, 0), StreamAddArgs.entry("k", "b"));
    var read = stream.readGroup("group", "ann", StreamReadGroupArgs.neverDelivered());
    say("stream", read + " " + stream.ack("group", new StreamMessageId(1, 0)));
    say("pending", stream.getPendingInfo("group").getTotal());
  }

  private static void services(RedissonClient one, RedissonClient two, ExecutorService threads)
      throws Exception {
    one.getRemoteService("remote").register(Squares.class, n -> n * n, 2, threads);
    say("remote", two.getRemoteService("remote").get(Squares.class).square(12));
    ExecutorOptions options = ExecutorOptions.defaults();
    var codec = new SerializationCodec();
    RScheduledExecutorService runs = one.getExecutorService("tasks", codec, options);
    runs.registerWorkers(WorkerOptions.defaults().workers(2));
    RScheduledExecutorService asks = two.getExecutorService("tasks", codec, options);
    say("task", asks.submit(new Task()).get(10, TimeUnit.SECONDS));
    say("later", asks.schedule(new Task(), 300, TimeUnit.MILLISECONDS).get(10, TimeUnit.SECONDS));
    say("workers", asks.countActiveWorkers());
    runs.shutdown();
  }
}
