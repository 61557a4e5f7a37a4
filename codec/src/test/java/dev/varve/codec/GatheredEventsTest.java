package dev.varve.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.store.WriteTooLargeException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GatheredEventsTest {
  private static final int KEYS = 100_000;

  private static KeyspaceEvent event(EventClass eventClass, String name, String key) {
    return new KeyspaceEvent(eventClass, name, 0, key.getBytes(StandardCharsets.US_ASCII), true);
  }

  @Test
  void ofVeryManyThatAreAlikeOneIsKeptWhereKeysAreWanted() {
    GatheredEvents events = new GatheredEvents(WantedEvents.KEYS);
    for (int i = 0; i < 3 * GatheredEvents.MANY; i++) {
      events.add(event(EventClass.STRING, "set", "key"));
    }
    events.add(event(EventClass.GENERIC, "del", "key"));
    events.add(event(EventClass.STRING, "set", "other"));
    events.add(event(EventClass.KEY_MISS, "keymiss", "missing"));
    events.add(event(EventClass.NEW, "new", "other"));
    assertEquals(GatheredEvents.MANY + 2, events.all().size());
    assertEquals("del", events.all().get(GatheredEvents.MANY).name());
  }

  @Test
  void noKeyIsLostAmongMany() {
    GatheredEvents events = new GatheredEvents(WantedEvents.KEYS);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < KEYS; i++) {
        events.add(event(EventClass.STRING, "set", "key" + i));
      }
    }
    Set<String> keys = new HashSet<>();
    events.all().forEach(its -> keys.add(new String(its.key(), StandardCharsets.US_ASCII)));
    assertEquals(KEYS, keys.size());
    assertEquals(KEYS, events.all().size());
  }

  @Test
  void eachIsKeptWhereEachIsWanted() {
    GatheredEvents events = new GatheredEvents(WantedEvents.EACH_CHANGE);
    for (int i = 0; i < 2 * GatheredEvents.MANY; i++) {
      events.add(event(EventClass.STRING, "set", "key"));
      events.add(event(EventClass.KEY_MISS, "keymiss", "key"));
    }
    assertEquals(2 * GatheredEvents.MANY, events.all().size());
  }

  @Test
  void moreThanAQuarterOfTheHeapIsRefused() {
    GatheredEvents events = new GatheredEvents(WantedEvents.ALL);
    KeyspaceEvent one = event(EventClass.STRING, "set", "k".repeat(1 << 20));
    long count = GatheredEvents.HEAP_BYTES_MAX / (1 << 20);
    for (long i = 0; i < count - 1; i++) {
      events.add(one);
    }
    assertThrows(
        WriteTooLargeException.class,
        () -> {
          for (int i = 0; i < 3; i++) {
            events.add(one);
          }
        });
  }
}
