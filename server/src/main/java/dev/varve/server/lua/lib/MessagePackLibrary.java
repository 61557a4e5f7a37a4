package dev.varve.server.lua.lib;

import dev.varve.server.lua.run.LuaArgs;
import dev.varve.server.lua.run.LuaState;
import dev.varve.server.lua.run.Results;
import dev.varve.server.lua.value.LuaString;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table {@code cmsgpack}, as lua-cmsgpack 0.4.0 has it. */
public final class MessagePackLibrary {
  private MessagePackLibrary() {}

  public static void register(LuaState state) {
    Library.named(state, "cmsgpack", 0)
        .add("pack", MessagePackLibrary::pack)
        .add("unpack", args -> unpack(args, 0, 0))
        .add("unpack_one", args -> unpack(args, 1, args.integer(2, 0)))
        .add("unpack_limit", args -> unpack(args, args.integer(2), args.integer(3, 0)))
        .set("_NAME", LuaString.of("cmsgpack"))
        .set("_VERSION", LuaString.of("lua-cmsgpack 0.4.0"))
        .set("_COPYRIGHT", LuaString.of("Copyright (C) 2012, Salvatore Sanfilippo"))
        .set("_DESCRIPTION", LuaString.of("MessagePack C implementation for Lua"));
  }

  private static Object pack(LuaArgs args) {
    if (args.count() == 0) {
      throw args.bad(0, "MessagePack pack needs input.");
    }
    MessagePacker packer = new MessagePacker(args.state());
    for (Object value : args.all()) {
      packer.write(value, 0);
    }
    return packer.packed();
  }

  /** Without limit and offset all values; otherwise the place to go on at, and the values. */
  private static Object unpack(LuaArgs args, long limit, long offset) {
    LuaString packed = args.string(1);
    int length = packed.length();
    if (offset < 0 || limit < 0) {
      throw args.state()
          .error(
              "Invalid request to unpack with offset of "
                  + (int) offset
                  + " and limit of "
                  + length
                  + ".");
    }
    if (offset > length) {
      throw args.state()
          .error("Start offset " + (int) offset + " greater than input length " + length + ".");
    }
    boolean all = limit == 0 && offset == 0;
    MessageUnpacker unpacker = new MessageUnpacker(args.state(), packed.bytes(), (int) offset);
    boolean begun = args.state().beginMaking();
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; unpacker.left() > 0 && (all || i < limit); i++) {
      if (i + args.count() >= BaseLibrary.VALUES_MAX) {
        throw args.state().error("stack overflow (in function mp_unpack_full)");
      }
      values.add(unpacker.read());
    }
    if (!all) {
      values.add(0, unpacker.left() == 0 ? -1.0 : (double) (length - unpacker.left()));
    }
    args.state().endMaking(begun);
    return Results.of(values.toArray());
  }
}
