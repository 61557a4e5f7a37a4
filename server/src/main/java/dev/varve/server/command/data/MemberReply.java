package dev.varve.server.command.data;

import dev.varve.codec.format.Slice;
import dev.varve.codec.member.MemberCursor;
import dev.varve.codec.member.MemberPage;
import dev.varve.server.resp.RespEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes members of collections, and their values, as replies.
 *
 * <p>Pure functions of the encoder, for its thread.
 */
final class MemberReply {
  private MemberReply() {}

  /** A bulk string, or none. */
  static void bulk(RespEncoder reply, @Nullable Slice value) {
    if (value == null) {
      reply.nullBulk();
    } else {
      reply.bulk(value.array(), value.offset(), value.length());
    }
  }

  /** A bulk string, or none. */
  static void bulk(RespEncoder reply, byte @Nullable [] value) {
    if (value == null) {
      reply.nullBulk();
    } else {
      reply.bulk(value);
    }
  }

  /** The member that a walk is at. */
  static void bulk(RespEncoder reply, MemberCursor member) {
    reply.bulk(member.array(), member.offset(), member.length());
  }

  /** The rest of a walk whose count is known, as an array. */
  static void array(RespEncoder reply, MemberCursor members) {
    reply.array(members.count());
    members.handRest(reply::bulk);
  }

  /** The elements of an announced aggregate. */
  static void elements(RespEncoder reply, List<Slice> values) {
    for (Slice value : values) {
      bulk(reply, value);
    }
  }

  /** What a step of a scan found, with the cursor to go on from. */
  static void page(RespEncoder reply, MemberPage page) {
    reply.array(2);
    reply.bulk(page.next());
    reply.array(page.items().size());
    elements(reply, page.items());
  }

  /** The same of a page of fields with their values, without these. */
  static void namePage(RespEncoder reply, MemberPage page) {
    reply.array(2);
    reply.bulk(page.next());
    reply.array(page.items().size() / 2);
    for (int i = 0; i < page.items().size(); i += 2) {
      bulk(reply, page.items().get(i));
    }
  }

  /** What a scan of a key that does not exist finds. */
  static void emptyPage(RespEncoder reply) {
    reply.array(2);
    reply.bulk(MemberPage.END);
    reply.array(0);
  }
}
