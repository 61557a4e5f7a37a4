package dev.varve.codec;

/**
 * Something happened to a key: what WATCH, blocked clients and keyspace notifications wait for.
 *
 * @param eventClass which class it belongs to
 * @param name Redis's name for it, such as {@code expired}
 * @param database the number of the database, -1 if no number has it any more
 * @param key the user key; not to be changed
 * @param isChange whether the value is another now for those who watch or cache it
 */
public record KeyspaceEvent(
    EventClass eventClass, String name, int database, byte[] key, boolean isChange) {}
