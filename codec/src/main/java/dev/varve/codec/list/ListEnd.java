package dev.varve.codec.list;

/** One of the two ends of a list: where elements are pushed and popped. */
public enum ListEnd {
  /** LEFT to Redis. */
  HEAD("lpush", "lpop"),
  /** RIGHT to Redis. */
  TAIL("rpush", "rpop");

  private final String pushEvent;
  private final String popEvent;

  ListEnd(String pushEvent, String popEvent) {
    this.pushEvent = pushEvent;
    this.popEvent = popEvent;
  }

  String pushEvent() {
    return pushEvent;
  }

  String popEvent() {
    return popEvent;
  }
}
