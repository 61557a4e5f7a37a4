package dev.varve.server.lua;

import java.util.Random;

/**
 * Random programs: expressions over all types and operators, local variables, loops, functions,
 * tables and protected calls. They end, and what they print does not depend on addresses.
 *
 * <p>Single-threaded.
 */
final class RandomScripts {
  private static final String[] NUMBERS = {
    "zero", "1", "-1", "2", "3.5", "0.1", "1e15", "2^53", "-7", "10", "1e300", "255", "1/3"
  };
  private static final String[] STRINGS = {
    "''", "'a'", "'abc'", "'10'", "'0x1F'", "' 5 '", "'x\\0y'", "'%d'", "'1e2'", "'aXbXc'"
  };
  private static final String[] OTHERS = {
    "nil", "true", "false", "{}", "{1, 2, 3}", "{a = 1}", "t"
  };
  private static final String[] BINARY = {
    "+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"
  };
  private static final String[] CALLS = {
    "show(%s)",
    "type(%s)",
    "tonumber(%s)",
    "#%s",
    "math.floor(%s)",
    "string.len(%s)",
    // Of a number beyond 2^53 the remainder is millions.
    "string.rep(%s, math.min(%s %% 5, 4))",
    "string.sub(%s, %s, %s)",
    "string.upper(%s)",
    "math.max(%s, %s)",
    "string.format('%%d', %s)",
    "string.format('%%5.2f|%%g', %s, %s)",
    "string.format('%%q', %s)",
    "string.format('%%s', %s)",
    "select('#', %s, %s)",
    "string.byte(%s, %s)",
    "string.find(%s, %s)",
    "string.gsub(%s, %s, %s)",
    "cjson.encode(%s)",
    "bit.band(%s, %s)",
    "string.match(%s, '(%%w)(.-)%%s*')",
    "table.concat({%s, %s}, %s)",
    "rawequal(%s, %s)",
    "unpack({%s, %s})",
    "(%s)[%s]",
    "(%s).a",
    "math.abs(%s)",
    "string.reverse(%s)",
    "not %s",
    "-%s",
    "f(%s)",
    "redis.sha1hex(%s)",
    "cmsgpack.unpack(cmsgpack.pack(%s))",
    "struct.size(%s)",
    "show(%s):len()",
    "math.fmod(%s, %s)",
    "next(%s)",
    "pcall(f, %s)",
    "(%s):rep(2)"
  };

  private final Random random;

  /** Where a call would be recursion, whose end depends on the size of a stack. */
  private boolean insideFunction;

  RandomScripts(long seed) {
    random = new Random(seed);
  }

  private String pick(String[] from) {
    return from[random.nextInt(from.length)];
  }

  private String variable() {
    return "v" + random.nextInt(4);
  }

  String script() {
    StringBuilder out = new StringBuilder("local zero, r, t = 0, {}, {5, 6, x = 'y'}\n");
    out.append(
        """
        local function show(v)
          if type(v) ~= 'table' then return tostring(v) end
          local s = {}
          for k, x in pairs(v) do s[#s + 1] = tostring(k) .. '=' .. (type(x) == 'table' and 'T' or tostring(x)) end
          return '{' .. table.concat(s, ',') .. '}'
        end
        local function put(...)
          for i = 1, select('#', ...) do r[#r + 1] = show((select(i, ...))) end
        end
        """);
    out.append("local v0, v1, v2, v3 = 1, 'two', nil, 4\n");
    out.append("local function f(a, b)\n");
    insideFunction = true;
    statements(out, 2, 1);
    insideFunction = false;
    out.append("  return a, v1\nend\n");
    for (int i = 0; i < 5; i++) {
      out.append("put(pcall(function()\n");
      statements(out, 4, 2);
      out.append("end))\n");
    }
    return out.append("put(v0, v1, v2, v3)\nreturn r\n").toString();
  }

  private void statements(StringBuilder out, int most, int depth) {
    int count = 1 + random.nextInt(most);
    for (int i = 0; i < count; i++) {
      statement(out, depth);
    }
  }

  private void statement(StringBuilder out, int depth) {
    switch (depth == 0 ? random.nextInt(4) : random.nextInt(11)) {
      case 0 -> out.append(variable()).append(" = ").append(expression(3)).append('\n');
      case 1 -> {
        out.append("put(pcall(function()\n return ").append(expression(3)).append(", ");
        out.append(expression(1)).append(" end))\n");
      }
      case 2 -> out.append("t[").append(keyOf()).append("] = ").append(expression(2)).append('\n');
      case 3 -> {
        out.append(variable()).append(", ").append(variable()).append(" = ");
        out.append(expression(1)).append(", ").append(expression(1)).append('\n');
      }
      case 4 -> {
        out.append("if ").append(expression(2)).append(" then\n");
        statements(out, 2, depth - 1);
        out.append("else\n");
        statements(out, 2, depth - 1);
        out.append("end\n");
      }
      case 5 -> {
        out.append("for i = ").append(random.nextInt(3)).append(", ").append(random.nextInt(6));
        out.append(" do\n local v2 = i\n");
        statements(out, 2, depth - 1);
        out.append(random.nextInt(4) == 0 ? "break\n" : "").append("end\n");
      }
      case 6 -> {
        out.append("for k, v in pairs(t) do v3 = k put(k, v) end\n");
      }
      case 7 -> {
        out.append("put(pcall(function(...)\n");
        statements(out, 2, depth - 1);
        out.append("return ").append(expression(2)).append(", ... end, ");
        out.append(expression(1)).append("))\n");
      }
      case 8 -> {
        out.append("do local v1 = ").append(expression(2)).append('\n');
        statements(out, 2, depth - 1);
        out.append("end\n");
      }
      case 9 -> {
        out.append("local n = 0 while n < 3 do n = n + 1\n");
        statements(out, 2, depth - 1);
        out.append("end\n");
      }
      default -> out.append("table.insert(t, (").append(expression(1)).append("))\n");
    }
  }

  private String keyOf() {
    return random.nextBoolean() ? Integer.toString(random.nextInt(8)) : pick(STRINGS);
  }

  private String expression(int depth) {
    if (depth == 0) {
      return switch (random.nextInt(5)) {
        case 0, 1 -> pick(NUMBERS);
        case 2 -> pick(STRINGS);
        case 3 -> variable();
        default -> pick(OTHERS);
      };
    }
    if (random.nextInt(5) < 3) {
      return "(" + expression(depth - 1) + " " + pick(BINARY) + " " + expression(depth - 1) + ")";
    }
    String call = pick(CALLS);
    while (insideFunction && (call.startsWith("f(") || call.startsWith("pcall(f"))) {
      call = pick(CALLS);
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < call.length(); i++) {
      if (call.startsWith("%s", i) && (i == 0 || call.charAt(i - 1) != '%')) {
        out.append(expression(depth - 1));
        i++;
      } else if (call.startsWith("%%", i)) {
        out.append('%');
        i++;
      } else {
        out.append(call.charAt(i));
      }
    }
    return out.toString();
  }
}
