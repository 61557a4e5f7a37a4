package dev.varve.codec.dump;

import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.StreamId;
import dev.varve.codec.format.StreamState;
import dev.varve.codec.stream.GroupTable;
import dev.varve.codec.stream.PendingEntry;
import dev.varve.codec.stream.StreamConsumer;
import dev.varve.codec.stream.StreamGroup;
import dev.varve.codec.stream.StreamTable;
import java.util.List;

/**
 * Streams in the format of Redis, out as a whole, and in, also in pieces.
 *
 * <p>Pure functions of a transaction.
 */
final class StreamDumps {
  private StreamDumps() {}

  private static DumpedStream.Id dumped(StreamId id) {
    return new DumpedStream.Id(id.millis(), id.sequence());
  }

  private static StreamId restored(DumpedStream.Id id) {
    return new StreamId(id.millis(), id.sequence());
  }

  /** Writes the stream that {@code key} holds. */
  static void write(DumpOutput output, Transaction transaction, int database, byte[] key) {
    StreamTable stream = StreamTable.find(transaction, database, key);
    if (stream == null) {
      throw new IllegalStateException("no stream to dump");
    }
    output.type(DumpFormat.STREAM_2);
    // How many nodes there are comes first. To keep them until that is known would take as much
    // memory as the stream is long, so it is read twice.
    long nodes = stream.countNodes(StreamWriter.NODE_BYTES_MAX);
    StreamWriter writer = new StreamWriter(output, nodes);
    stream.walkNodes(
        StreamWriter.NODE_BYTES_MAX,
        (id, items, startsNode, reach) ->
            writer.entry(dumped(id), items, startsNode, dumped(reach)));
    StreamState state = stream.state();
    writer.remember(
        stream.length(),
        dumped(state.last),
        dumped(state.first),
        dumped(state.maxDeleted),
        state.added,
        state.groups);
    GroupTable groups = new GroupTable(stream);
    for (StreamGroup group : groups.all()) {
      write(writer, groups, group);
    }
  }

  private static void write(StreamWriter writer, GroupTable groups, StreamGroup group) {
    writer.group(group.name, dumped(group.last), group.read, group.pendingCount());
    groups.walkPending(
        group,
        StreamId.MIN,
        entry -> {
          writer.pending(dumped(entry.id()), entry.deliveredMillis(), entry.deliveries());
          return true;
        });
    List<StreamConsumer> consumers = groups.consumers(group);
    writer.consumers(consumers.size());
    for (StreamConsumer consumer : consumers) {
      writer.consumer(consumer.name(), consumer.seenMillis(), consumer.pendingCount());
      groups.walkOwned(
          group, consumer.name(), StreamId.MIN, id -> writer.rawId(dumped(id)), id -> true);
    }
  }

  /** A new stream that will have this key, not saved yet. */
  static Meta build(Transaction transaction, int database, byte[] key, DumpedStream dumped) {
    StreamTable stream = StreamTable.create(transaction, database, key);
    add(stream, dumped);
    return stream.meta;
  }

  /** Adds a further piece to the stream that {@code key} holds. */
  static void append(Transaction transaction, int database, byte[] key, DumpedStream piece) {
    StreamTable stream = StreamTable.findForWrite(transaction, database, key);
    if (stream == null) {
      throw new IllegalStateException("no stream to add to");
    }
    add(stream, piece);
    stream.save();
  }

  private static void add(StreamTable stream, DumpedStream piece) {
    for (DumpedStream.Entry entry : piece.entries()) {
      stream.restore(
          restored(entry.id()), entry.items(), entry.startsNode(), restored(entry.reach()));
    }
    DumpedStream.State remembered = piece.state();
    if (remembered != null) {
      StreamState state = stream.state();
      state.last = restored(remembered.last());
      state.maxDeleted = restored(remembered.maxDeleted());
      state.added = remembered.added();
      state.nodeEntries = piece.lastNodeEntries();
    }
    GroupTable groups = new GroupTable(stream);
    piece.groups().forEach(group -> add(stream, groups, group));
  }

  private static void add(StreamTable stream, GroupTable groups, DumpedStream.Group from) {
    StreamGroup group = groups.find(from.name());
    if (group == null) {
      group = new StreamGroup(from.name());
      group.last = restored(from.last());
      group.read =
          from.read() == DumpedStream.READ_NOT_TOLD
              ? StreamGroup.distance(stream, group.last)
              : from.read();
    }
    for (DumpedStream.Consumer consumer : from.consumers()) {
      if (groups.consumer(group, consumer.name()) == null) {
        groups.restore(group, new StreamConsumer(consumer.name(), consumer.seenMillis()));
      }
      for (DumpedStream.Pending one : consumer.pending()) {
        groups.put(
            group,
            new PendingEntry(
                restored(one.id()), consumer.name(), one.deliveredMillis(), one.deliveries()),
            null);
      }
    }
    groups.save(group);
  }
}
