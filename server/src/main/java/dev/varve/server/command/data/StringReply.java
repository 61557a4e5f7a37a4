package dev.varve.server.command.data;

import dev.varve.codec.format.Slice;
import dev.varve.codec.string.StringRange;
import dev.varve.server.resp.RespEncoder;
import org.jspecify.annotations.Nullable;

/** Strings in replies: a long one goes there fragment by fragment, as its reply leaves. */
final class StringReply {
  private StringReply() {}

  static void bulk(RespEncoder reply, @Nullable StringRange range) {
    if (range == null) {
      reply.nullBulk();
    } else if (range.isInFragments()) {
      reply.beginBulk(range.length());
      range.writeTo(new Parts(reply));
      reply.endBulk();
    } else {
      Slice whole = range.whole();
      reply.bulk(whole.array(), whole.offset(), whole.length());
    }
  }

  private record Parts(RespEncoder reply) implements StringRange.Sink {
    @Override
    public void bytes(byte[] array, int offset, int length) {
      reply.part(array, offset, length);
    }

    @Override
    public void zeroes(int count) {
      reply.zeroes(count);
    }
  }
}
