package dev.varve.applications;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.Redisson;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RBatch;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RBoundedBlockingQueue;
import org.redisson.api.RBucket;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RHyperLogLog;
import org.redisson.api.RLock;
import org.redisson.api.RMap;
import org.redisson.api.RMapCache;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RPriorityQueue;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.RSemaphore;
import org.redisson.api.RSetCache;
import org.redisson.api.RTopic;
import org.redisson.api.RTransaction;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.api.TransactionOptions;
import org.redisson.client.codec.IntegerCodec;
import org.redisson.config.Config;

/** What Redisson makes of Redis: prints what it saw. */
public final class RedissonUnderTest {
  private RedissonUnderTest() {}

  public static void main(String[] args) throws Exception {
    Config config = new Config();
    config
        .useSingleServer()
        .setAddress("redis://127.0.0.1:" + args[0])
        .setConnectionPoolSize(16)
        .setConnectionMinimumIdleSize(4);
    RedissonClient redisson = Redisson.create(config);
    ExecutorService threads = Executors.newCachedThreadPool();
    redisson.getKeys().flushall();
    locks(redisson, threads);
    counts(redisson, threads);
    maps(redisson);
    queues(redisson, threads);
    topics(redisson);
    limits(redisson);
    transactions(redisson);
    redisson.shutdown(0, 1, TimeUnit.SECONDS);
    RedissonServices.all(config, threads);
    threads.shutdown();
    System.out.println("done");
  }

  private static void say(String what, Object value) {
    System.out.println(what + ": " + value);
  }

  private static void locks(RedissonClient redisson, ExecutorService threads) throws Exception {
    for (RLock lock : List.of(redisson.getLock("lock"), redisson.getFairLock("fair"))) {
      int[] guarded = {0};
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        all.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < 20; n++) {
                    lock.lock();
                    try {
                      guarded[0]++;
                    } finally {
                      lock.unlock();
                    }
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      say(lock.getName() + " guarded", guarded[0]);
      lock.lock();
      lock.lock();
      say("held", lock.getHoldCount());
      Callable<Boolean> tries = () -> lock.tryLock(50, TimeUnit.MILLISECONDS);
      say("another gets it", threads.submit(tries).get());
      lock.unlock();
      lock.unlock();
      say("free", !lock.isLocked());
    }
    RLock leased = redisson.getLock("leased");
    leased.lock(300, TimeUnit.MILLISECONDS);
    Callable<Boolean> waits = () -> leased.tryLock(5, TimeUnit.SECONDS);
    say("after the lease", threads.submit(waits).get());
    RReadWriteLock both = redisson.getReadWriteLock("both");
    both.readLock().lock();
    Callable<Boolean> reads = () -> both.readLock().tryLock();
    Callable<Boolean> writes = () -> both.writeLock().tryLock();
    say("reads", threads.submit(reads).get());
    say("writes", threads.submit(writes).get());
    RLock multi = redisson.getMultiLock(redisson.getLock("m1"), redisson.getLock("m2"));
    say("multi", multi.tryLock());
    multi.unlock();
  }

  private static void counts(RedissonClient redisson, ExecutorService threads) throws Exception {
    RAtomicLong number = redisson.getAtomicLong("number");
    say("add", number.addAndGet(5));
    say("compared", number.compareAndSet(5, 9));
    RSemaphore semaphore = redisson.getSemaphore("semaphore");
    semaphore.trySetPermits(2);
    say("permits", List.of(semaphore.tryAcquire(), semaphore.tryAcquire(), semaphore.tryAcquire()));
    Callable<Boolean> waits = () -> semaphore.tryAcquire(Duration.ofSeconds(5));
    Future<Boolean> waiting = threads.submit(waits);
    semaphore.release();
    say("released", waiting.get());
    RPermitExpirableSemaphore expiring = redisson.getPermitExpirableSemaphore("expiring");
    expiring.trySetPermits(1);
    expiring.acquire(200, TimeUnit.MILLISECONDS);
    say("expired", expiring.tryAcquire(5, TimeUnit.SECONDS) != null);
    RCountDownLatch latch = redisson.getCountDownLatch("latch");
    latch.trySetCount(2);
    threads.submit(latch::countDown);
    threads.submit(latch::countDown);
    say("counted down", latch.await(5, TimeUnit.SECONDS));
  }

  private static void maps(RedissonClient redisson) throws Exception {
    RMap<String, Integer> map = redisson.getMap("map", IntegerCodec.INSTANCE);
    map.put("a", 1);
    say("put if absent", map.putIfAbsent("a", 2));
    say("merged", map.addAndGet("a", 10));
    say("replaced", map.replace("a", 11, 12));
    RMapCache<String, String> cache = redisson.getMapCache("cache");
    cache.put("short", "x", 2, TimeUnit.SECONDS);
    cache.put("long", "y", 1, TimeUnit.HOURS);
    cache.put("idle", "z", 0, null, 2, TimeUnit.SECONDS);
    say("cached", new TreeMap<>(cache.getAll(cache.keySet())));
    // Who looks whether it is gone yet uses it, and it stays.
    Thread.sleep(3000);
    say("later", new TreeMap<>(cache.getAll(cache.keySet())));
    RSetCache<String> set = redisson.getSetCache("set cache");
    set.add("short", 100, TimeUnit.MILLISECONDS);
    set.add("for ever");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (set.readAll().size() > 1 && System.nanoTime() < deadline) {
      Thread.sleep(5);
    }
    say("members", new TreeSet<>(set.readAll()));
    RScoredSortedSet<String> scores = redisson.getScoredSortedSet("scores");
    scores.addAll(Map.of("a", 1.5, "b", 0.5, "c", 2.5));
    say("ranked", scores.valueRange(0, -1) + " " + scores.rank("c") + " " + scores.addScore("b", 3));
    RBloomFilter<String> filter = redisson.getBloomFilter("filter");
    filter.tryInit(1000, 0.01);
    filter.add("there");
    say("filtered", filter.contains("there") + " " + filter.contains("elsewhere"));
    RHyperLogLog<Integer> log = redisson.getHyperLogLog("log");
    for (int i = 0; i < 100; i++) {
      log.add(i % 10);
    }
    say("distinct", log.count());
    RBucket<String> bucket = redisson.getBucket("bucket");
    bucket.set("v", Duration.ofMinutes(1));
    say("swapped", bucket.getAndSet("w") + " " + bucket.compareAndSet("w", "u"));
  }

  private static void queues(RedissonClient redisson, ExecutorService threads) throws Exception {
    RBlockingQueue<String> queue = redisson.getBlockingQueue("queue");
    Callable<String> takes = queue::take;
    Future<String> taken = threads.submit(takes);
    queue.add("one");
    say("taken", taken.get(5, TimeUnit.SECONDS));
    say("none", queue.poll(50, TimeUnit.MILLISECONDS));
    RBoundedBlockingQueue<Integer> bounded = redisson.getBoundedBlockingQueue("bounded");
    bounded.trySetCapacity(2);
    say("bounded", List.of(bounded.offer(1), bounded.offer(2), bounded.offer(3)));
    RBlockingQueue<String> due = redisson.getBlockingQueue("due");
    RDelayedQueue<String> delayed = redisson.getDelayedQueue(due);
    delayed.offer("late", 1200, TimeUnit.MILLISECONDS);
    delayed.offer("early", 300, TimeUnit.MILLISECONDS);
    say("due", due.poll(10, TimeUnit.SECONDS) + " " + due.poll(10, TimeUnit.SECONDS));
    delayed.destroy();
    RPriorityQueue<Integer> ordered = redisson.getPriorityQueue("ordered");
    List<Integer> shuffled = new ArrayList<>(List.of(5, 3, 9, 1, 7));
    Collections.addAll(ordered, shuffled.toArray(new Integer[0]));
    say("smallest", ordered.poll() + " " + ordered.poll());
  }

  private static void topics(RedissonClient redisson) throws Exception {
    CountDownLatch got = new CountDownLatch(4);
    RTopic topic = redisson.getTopic("topic");
    topic.addListener(String.class, (channel, text) -> got.countDown());
    redisson.getPatternTopic("top*").addListener(String.class, (p, c, text) -> got.countDown());
    topic.publish("a");
    topic.publish("b");
    say("heard", got.await(5, TimeUnit.SECONDS));
    AtomicInteger reliable = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(3);
    var stream = redisson.getReliableTopic("reliable");
    stream.addListener(
        Integer.class,
        (channel, number) -> {
          reliable.addAndGet(number);
          all.countDown();
        });
    for (int i = 1; i <= 3; i++) {
      stream.publish(i);
    }
    say("reliably", all.await(5, TimeUnit.SECONDS) + " " + reliable.get());
    stream.removeAllListeners();
  }

  private static void limits(RedissonClient redisson) {
    RRateLimiter limiter = redisson.getRateLimiter("limiter");
    limiter.trySetRate(RateType.OVERALL, 3, Duration.ofMinutes(1));
    int passed = 0;
    for (int i = 0; i < 5; i++) {
      passed += limiter.tryAcquire() ? 1 : 0;
    }
    say("passed", passed);
  }

  private static void transactions(RedissonClient redisson) {
    RTransaction transaction = redisson.createTransaction(TransactionOptions.defaults());
    transaction.getMap("t").put("k", "v");
    transaction.getBucket("b").set("w");
    say("before", redisson.getMap("t").size());
    transaction.commit();
    say("after", redisson.getMap("t").get("k") + " " + redisson.getBucket("b").get());
    RBatch batch = redisson.createBatch();
    for (int i = 0; i < 100; i++) {
      batch.getAtomicLong("batch").incrementAndGetAsync();
    }
    say("batch", batch.execute().getResponses().size() + " " + redisson.getAtomicLong("batch").get());
  }
}
