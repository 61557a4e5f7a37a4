package dev.varve.server.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A hash of which so many fields are due that they are deleted a few at a time. */
class ManyDueFieldsTest {
  private static final int FIELDS = 50_000;
  private static final int FIELDS_AT_ONCE = 1_000;

  @Test
  void othersHaveTheirTurnBeforeAllOfThemAreDeleted() throws IOException {
    try (ServerFixture fixture = new ServerFixture()) {
      RawClient first = fixture.client();
      RawClient second = fixture.client();
      assertEquals(":1|", first.ask("HSET hash stays value"));
      for (int from = 0; from < FIELDS; from += FIELDS_AT_ONCE) {
        StringBuilder set = new StringBuilder("HSET hash");
        StringBuilder expire = new StringBuilder("HPEXPIRE hash 100000 FIELDS " + FIELDS_AT_ONCE);
        for (int i = from; i < from + FIELDS_AT_ONCE; i++) {
          set.append(" f").append(i).append(" v");
          expire.append(" f").append(i);
        }
        assertEquals(":" + FIELDS_AT_ONCE + "|", first.ask(set.toString()));
        first.ask(expire.toString());
      }
      assertEquals(":1|", second.ask("INCR number"));
      fixture.aheadMillis.set(200_000);
      first.send("HLEN hash|");
      // The first of these may come with it in one look at the sockets.
      for (int number = 2; number <= 4; number++) {
        assertEquals(":" + number + "|", second.ask("INCR number"));
      }
      assertFalse(first.hasReply(), "it was first");
      assertEquals(":1|", first.reply());
    }
  }
}
