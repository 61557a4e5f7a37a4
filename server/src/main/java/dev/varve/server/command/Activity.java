package dev.varve.server.command;

/**
 * Who looks at the commands that run, and what holds them up.
 *
 * <p>Any thread.
 */
public final class Activity {
  private final Monitors monitors = new Monitors();
  private final SlowLog slowLog = new SlowLog();
  private final LatencyEvents latencyEvents = new LatencyEvents();
  private final Pause pause = new Pause();

  public Monitors monitors() {
    return monitors;
  }

  public SlowLog slowLog() {
    return slowLog;
  }

  public LatencyEvents latencyEvents() {
    return latencyEvents;
  }

  public Pause pause() {
    return pause;
  }
}
