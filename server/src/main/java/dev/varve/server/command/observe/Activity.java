package dev.varve.server.command.observe;

/**
 * Who looks at the commands that run, what holds them up, and who was refused.
 *
 * <p>Any thread.
 */
public final class Activity {
  private final Monitors monitors = new Monitors();
  private final SlowLog slowLog = new SlowLog();
  private final LatencyEvents latencyEvents = new LatencyEvents();
  private final AccessLog accessLog = new AccessLog();
  private final Pause pause = new Pause();
  private final ClientNames clientNames = new ClientNames();

  public Monitors monitors() {
    return monitors;
  }

  public SlowLog slowLog() {
    return slowLog;
  }

  public LatencyEvents latencyEvents() {
    return latencyEvents;
  }

  public AccessLog accessLog() {
    return accessLog;
  }

  public Pause pause() {
    return pause;
  }

  public ClientNames clientNames() {
    return clientNames;
  }
}
