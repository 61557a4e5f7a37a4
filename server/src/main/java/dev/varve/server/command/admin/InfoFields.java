package dev.varve.server.command.admin;

import dev.varve.server.config.MemorySize;

/** Lines of a section of INFO. Used by one thread. */
final class InfoFields {
  private final StringBuilder text;

  InfoFields(StringBuilder text) {
    this.text = text;
  }

  InfoFields put(String name, Object value) {
    text.append(name).append(':').append(value).append("\r\n");
    return this;
  }

  /** What Redis counts of a thing that is not here, and so never happens. */
  InfoFields putZeros(String... names) {
    for (String name : names) {
      put(name, 0);
    }
    return this;
  }

  void putSize(String name, long bytes) {
    put(name, bytes);
    put(name + "_human", MemorySize.forPeople(bytes));
  }
}
