package dev.varve.server.script;

import dev.varve.server.lua.value.LuaString;
import dev.varve.server.lua.value.LuaTable;
import dev.varve.server.resp.RespEncoder;
import org.jspecify.annotations.Nullable;

/**
 * What a script returns as a reply to the client, as Redis converts it.
 *
 * <p>Used by the thread that runs the script.
 */
public final class ScriptReplyWriter {
  private static final LuaString ERR = LuaString.of("err");
  private static final LuaString OK = LuaString.of("ok");
  private static final LuaString DOUBLE = LuaString.of("double");
  private static final LuaString MAP = LuaString.of("map");
  private static final LuaString SET = LuaString.of("set");
  private static final LuaString BIG_NUMBER = LuaString.of("big_number");
  private static final LuaString VERBATIM = LuaString.of("verbatim_string");
  private static final LuaString FORMAT = LuaString.of("format");
  private static final LuaString STRING = LuaString.of("string");

  /** A format has three characters, whatever the script says. */
  private static final String NO_FORMAT = "   ";

  /** Tables that are nested deeper are an error; most of all those that hold themselves. */
  private static final int DEPTH_MAX = 1000;

  private final RespEncoder reply;
  private final int resp;

  /**
   * @param resp the version that the script has chosen for its replies
   */
  public ScriptReplyWriter(RespEncoder reply, int resp) {
    this.reply = reply;
    this.resp = resp;
  }

  public void write(@Nullable Object value) {
    write(value, 0);
  }

  private void write(@Nullable Object value, int depth) {
    if (depth > DEPTH_MAX) {
      reply.error("ERR reached lua stack limit");
    } else if (value instanceof LuaString text) {
      reply.bulk(text.bytes());
    } else if (value instanceof Double number) {
      reply.integer(integer(number));
    } else if (value instanceof Boolean truth) {
      if (resp > 2) {
        reply.bool(truth);
      } else if (truth) {
        reply.integer(1);
      } else {
        reply.nullBulk();
      }
    } else if (value instanceof LuaTable table) {
      table(table, depth);
    } else {
      reply.nullBulk();
    }
  }

  /** As x86-64 converts it: what no long can hold is the lowest one. */
  private static long integer(double number) {
    return number >= -0x1p63 && number < 0x1p63 ? (long) number : Long.MIN_VALUE;
  }

  private void table(LuaTable table, int depth) {
    if (table.get(ERR) instanceof LuaString error) {
      reply.error(error.untilZero().bytes());
    } else if (table.get(OK) instanceof LuaString status) {
      reply.status(status.untilZero().toString().replace('\r', ' ').replace('\n', ' '));
    } else if (table.get(DOUBLE) instanceof Double number) {
      reply.real(number);
    } else if (table.get(MAP) instanceof LuaTable map) {
      map(map, depth);
    } else if (table.get(SET) instanceof LuaTable set) {
      set(set, depth);
    } else if (table.get(BIG_NUMBER) instanceof LuaString digits) {
      reply.bigNumber(digits.toString().replace('\r', ' ').replace('\n', ' '));
    } else if (table.get(VERBATIM) instanceof LuaTable parts
        && parts.get(FORMAT) instanceof LuaString format
        && parts.get(STRING) instanceof LuaString text) {
      reply.verbatim((format + NO_FORMAT).substring(0, NO_FORMAT.length()), text.bytes());
    } else {
      array(table, depth);
    }
  }

  private void map(LuaTable map, int depth) {
    int aggregate = reply.open();
    int size = 0;
    for (int at = map.position(0); at >= 0; at = map.position(at + 1)) {
      write(map.keyAt(at), depth + 1);
      write(map.valueAt(at), depth + 1);
      size++;
    }
    reply.insertMap(aggregate, size);
  }

  private void set(LuaTable set, int depth) {
    int aggregate = reply.open();
    int size = 0;
    for (int at = set.position(0); at >= 0; at = set.position(at + 1)) {
      write(set.keyAt(at), depth + 1);
      size++;
    }
    reply.insertSet(aggregate, size);
  }

  private void array(LuaTable table, int depth) {
    int aggregate = reply.open();
    int size = 0;
    Object element;
    while ((element = table.get(size + 1)) != null) {
      write(element, depth + 1);
      size++;
    }
    reply.insertArray(aggregate, size);
  }
}
