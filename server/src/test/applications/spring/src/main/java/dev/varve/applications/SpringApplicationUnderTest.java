package dev.varve.applications;

import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.data.annotation.Id;
import org.springframework.data.domain.Range;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisHash;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.index.Indexed;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.data.redis.repository.configuration.EnableRedisRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.session.Session;
import org.springframework.session.data.redis.RedisIndexedSessionRepository;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.stereotype.Service;

/** Spring Data Redis and Spring Session, on Lettuce and on Jedis: prints what it saw. */
@SpringBootApplication
@EnableCaching
@EnableRedisRepositories(considerNestedRepositories = true)
public class SpringApplicationUnderTest {

  @RedisHash("person")
  public static class Person {
    @Id public String id;
    @Indexed public String city;
    public int age;
  }

  public interface People extends CrudRepository<Person, String> {
    List<Person> findByCity(String city);
  }

  @Service
  public static class Slow {
    private final AtomicInteger calls = new AtomicInteger();

    @Cacheable("squares")
    public Integer square(int n) {
      calls.incrementAndGet();
      return n * n;
    }

    public int calls() {
      return calls.get();
    }

    @CacheEvict(value = "squares", allEntries = true)
    public void forget() {}
  }

  public static void main(String[] args) {
    for (String client : List.of("lettuce", "jedis")) {
      System.out.println("-- " + client);
      new SpringApplicationBuilder(SpringApplicationUnderTest.class)
          .web(WebApplicationType.NONE)
          .properties(
              "spring.data.redis.port=" + args[0],
              "spring.data.redis.client-type=" + client,
              "spring.main.banner-mode=off",
              "logging.level.root=error")
          .run()
          .close();
    }
    System.out.println("done");
  }

  @org.springframework.context.annotation.Bean
  CommandLineRunner run(
      StringRedisTemplate redis, People people, Slow slow, RedisConnectionFactory factory) {
    return args -> {
      redis.execute((RedisCallback<Void>) connection -> {
        connection.serverCommands().flushAll();
        return null;
      });
      values(redis);
      transactions(redis);
      scripts(redis);
      streams(redis);
      messages(redis, factory);
      people(people);
      caches(redis, slow);
      sessions(redis);
    };
  }

  private static void say(String what, Object value) {
    System.out.println(what + ": " + value);
  }

  private static void values(StringRedisTemplate redis) {
    redis.opsForValue().set("a", "1", Duration.ofMinutes(5));
    say("if absent", redis.opsForValue().setIfAbsent("a", "2"));
    say("increment", redis.opsForValue().increment("a", 41));
    say("expires", redis.getExpire("a") > 290);
    redis.opsForHash().putAll("h", Map.of("x", "1", "y", "2"));
    say("hash", new TreeMap<>(redis.opsForHash().entries("h")));
    redis.opsForList().rightPushAll("l", "1", "2", "3");
    say("list", redis.opsForList().range("l", 0, -1));
    say("pop", redis.opsForList().leftPop("l", Duration.ofSeconds(1)));
    redis.opsForSet().add("s", "a", "b", "c");
    say("set", new TreeSet<>(redis.opsForSet().members("s")));
    redis.opsForZSet().add("z", "one", 1);
    redis.opsForZSet().add("z", "two", 2);
    say("zset", redis.opsForZSet().rangeWithScores("z", 0, -1));
    say("geo", redis.opsForGeo().add("g", new org.springframework.data.geo.Point(13.3, 38.1), "p"));
    try (var cursor = redis.scan(org.springframework.data.redis.core.ScanOptions.scanOptions().match("?").build())) {
      say("scan", new TreeSet<>(cursor.stream().toList()));
    }
  }

  private static void transactions(StringRedisTemplate redis) {
    List<Object> replies =
        redis.execute(
            new SessionCallback<>() {
              @Override
              @SuppressWarnings("unchecked")
              public List<Object> execute(RedisOperations operations) {
                operations.watch("a");
                operations.multi();
                operations.opsForValue().increment("a");
                operations.opsForList().size("l");
                return operations.exec();
              }
            });
    say("exec", replies);
    say(
        "pipeline",
        redis.executePipelined(
            (RedisCallback<Object>)
                connection -> {
                  for (int i = 0; i < 5; i++) {
                    connection.stringCommands().incr("p".getBytes());
                  }
                  return null;
                }));
  }

  private static void scripts(StringRedisTemplate redis) {
    RedisScript<Long> script =
        RedisScript.of("return redis.call('incrby', KEYS[1], ARGV[1])", Long.class);
    say("script", redis.execute(script, List.of("n"), "5"));
    say("by digest", redis.execute(script, List.of("n"), "5"));
    RedisScript<List> list = RedisScript.of("return {1, 'two', {3}}", List.class);
    say("a list", redis.execute(list, List.of()).size());
  }

  private static void streams(StringRedisTemplate redis) {
    redis.opsForStream().add("stream", Map.of("k", "v1"));
    redis.opsForStream().createGroup("stream", ReadOffset.from("0"), "group");
    var read =
        redis
            .opsForStream()
            .read(Consumer.from("group", "c"), StreamOffset.create("stream", ReadOffset.lastConsumed()));
    say("read", read.get(0).getValue());
    say("pending", redis.opsForStream().pending("stream", "group").getTotalPendingMessages());
    say("acknowledged", redis.opsForStream().acknowledge("group", read.get(0)));
    say("range", redis.opsForStream().range("stream", Range.unbounded()).size());
  }

  private static void messages(StringRedisTemplate redis, RedisConnectionFactory factory)
      throws Exception {
    RedisMessageListenerContainer container = new RedisMessageListenerContainer();
    container.setConnectionFactory(factory);
    CountDownLatch got = new CountDownLatch(3);
    container.addMessageListener((message, pattern) -> got.countDown(), new ChannelTopic("news"));
    container.afterPropertiesSet();
    container.start();
    for (int i = 0; i < 3; i++) {
      redis.convertAndSend("news", "n" + i);
    }
    say("messages", got.await(5, TimeUnit.SECONDS));
    container.destroy();
  }

  private static void people(People people) {
    for (int i = 0; i < 6; i++) {
      Person person = new Person();
      person.id = "p" + i;
      person.city = i % 2 == 0 ? "Rome" : "Bonn";
      person.age = 20 + i;
      people.save(person);
    }
    say("found", people.findByCity("Rome").stream().map(each -> each.id).sorted().toList());
    people.deleteById("p2");
    say("left", people.findByCity("Rome").stream().map(each -> each.id).sorted().toList());
    say("count", people.count());
  }

  private static void caches(StringRedisTemplate redis, Slow slow) {
    say("squares", List.of(slow.square(3), slow.square(3), slow.square(4)));
    say("calls", slow.calls());
    say("cached", new TreeSet<>(redis.keys("squares*")));
    slow.forget();
    slow.square(3);
    say("calls", slow.calls());
  }

  private static void sessions(StringRedisTemplate redis) {
    var template = new org.springframework.data.redis.core.RedisTemplate<String, Object>();
    template.setConnectionFactory(redis.getConnectionFactory());
    template.setKeySerializer(redis.getStringSerializer());
    template.setHashKeySerializer(redis.getStringSerializer());
    template.afterPropertiesSet();
    RedisIndexedSessionRepository sessions = new RedisIndexedSessionRepository(template);
    keep(sessions);
    say("of ann", sessions.findByPrincipalName("ann").size());
    say("keys", redis.keys("spring:session:*").size());
  }

  private static <S extends Session> void keep(FindByIndexNameSessionRepository<S> sessions) {
    S session = sessions.createSession();
    session.setAttribute(FindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME, "ann");
    session.setAttribute("basket", (Serializable) List.of("pear", "fig"));
    sessions.save(session);
    S found = sessions.findById(session.getId());
    say("basket", found.<Object>getAttribute("basket"));
    found.setMaxInactiveInterval(Duration.ofSeconds(60));
    sessions.save(found);
  }
}
