package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class WithoutEffectTest {

  private static List<String> found(String... arguments) throws ConfigException {
    return WithoutEffect.in(CommandLine.parse(arguments).settings());
  }

  @Test
  void whatIsAtItsDefaultIsNotTold() throws ConfigException {
    assertEquals(List.of(), found());
    assertEquals(
        List.of(),
        found("--maxmemory-policy", "noeviction", "--save", "", "--daemonize", "no", "--hz", "10"));
  }

  @Test
  void whatHasAnEffectIsNotTold() throws ConfigException {
    assertEquals(
        List.of(), found("--maxmemory", "64mb", "--protected-mode", "no", "--timeout", "5"));
  }

  @Test
  void theMostImportantComesFirstAndNoSecretIsTold() throws ConfigException {
    assertEquals(
        List.of(
            "maxmemory-policy (nothing is evicted)",
            "save (every write is on disk as appendfsync says)",
            "hz",
            "logfile (the log goes to standard output)",
            "syslog-ident"),
        found(
            "--syslog-ident",
            "secret",
            "--logfile",
            "/var/log/redis.log",
            "--hz",
            "50",
            "--save",
            "3600",
            "1",
            "--maxmemory-policy",
            "allkeys-lru"));
  }

  @Test
  void anOlderNameIsToldByItsNewOneOnce() throws ConfigException {
    assertEquals(List.of("replica-priority"), found("--slave-priority", "7"));
  }
}
