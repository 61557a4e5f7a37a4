package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class SyncPolicyTest {
  @Test
  void namesAreThoseOfRedisConf() {
    assertEquals(Optional.of(SyncPolicy.ALWAYS), SyncPolicy.parse("always"));
    assertEquals(Optional.of(SyncPolicy.EVERYSEC), SyncPolicy.parse("EverySec"));
    assertEquals(Optional.of(SyncPolicy.NO), SyncPolicy.parse("no"));
    assertEquals(Optional.empty(), SyncPolicy.parse("sometimes"));
    for (SyncPolicy policy : SyncPolicy.values()) {
      assertEquals(Optional.of(policy), SyncPolicy.parse(policy.redisName()));
    }
  }
}
