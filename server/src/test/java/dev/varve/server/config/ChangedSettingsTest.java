package dev.varve.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.Await;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ChangedSettingsTest {
  private static final Parameter CHANGED = Parameters.SLOWLOG_MAX_LEN;

  private final Settings settings = new Settings();
  private final Thread other = new Thread(() -> change(2));

  private void change(long value) {
    try {
      settings.set(Map.of(CHANGED, Long.toString(value)));
    } catch (Settings.ParameterException refused) {
      throw new AssertionError(refused);
    }
  }

  @Test
  void whatIsInForceIsTheLastOfTwoChangesThatCameAtTheSameTime() throws Exception {
    AtomicLong inForce = new AtomicLong();
    AtomicBoolean isFirst = new AtomicBoolean(true);
    settings.onChange(
        () -> {
          long read = settings.number(CHANGED);
          if (isFirst.getAndSet(false)) {
            other.start();
            awaitOther();
          }
          inForce.set(read);
        });
    change(1);
    other.join();
    assertEquals(2, settings.number(CHANGED));
    assertEquals(2, inForce.get());
  }

  @Test
  void partsOfOneValueThatAreChangedAtTheSameTimeAreBothInForce() throws Exception {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    settings.onRiskyChange(
        (wanted, named) -> {
          if (isFirst.getAndSet(false)) {
            settings.set(Map.of(Parameters.CLIENT_OUTPUT_BUFFER_LIMIT, "pubsub 1 2 3"));
          }
        });
    settings.set(Map.of(Parameters.CLIENT_OUTPUT_BUFFER_LIMIT, "normal 4 5 6"));
    assertEquals(
        "normal 4 5 6 slave 268435456 67108864 60 pubsub 1 2 3",
        settings.text(Parameters.CLIENT_OUTPUT_BUFFER_LIMIT));
  }

  /** It has changed it, or waits for its turn. */
  private void awaitOther() {
    try {
      Await.until(
          () ->
              other.getState() == Thread.State.BLOCKED
                  || other.getState() == Thread.State.TERMINATED,
          20,
          () -> "it is " + other.getState());
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }
}
