package dev.varve.server.command;

/** The groups of Redis's documentation, with the name that COMMAND DOCS gives them. */
public enum CommandGroup {
  CONNECTION("connection", "connection"),
  GENERIC("generic", "keyspace"),
  STRING("string", "string"),
  HASH("hash", "hash"),
  LIST("list", "list"),
  SET("set", "set"),
  SORTED_SET("sorted-set", "sortedset"),
  BITMAP("bitmap", "bitmap"),
  HYPERLOGLOG("hyperloglog", "hyperloglog"),
  GEO("geo", "geo"),
  STREAM("stream", "stream"),
  PUBSUB("pubsub", ""),
  SCRIPTING("scripting", "scripting"),
  CLUSTER("cluster", ""),
  TRANSACTIONS("transactions", "transaction"),
  SERVER("server", "");

  private final String label;
  private final String category;

  CommandGroup(String label, String category) {
    this.label = label;
    this.category = category;
  }

  /** Its name in the reply of COMMAND DOCS. */
  public String label() {
    return label;
  }

  /** Its ACL category without the '@'; empty if it has none of its own. */
  public String category() {
    return category;
  }
}
