package dev.varve.server.command.data;

import static dev.varve.server.command.CommandFlag.DENYOOM;
import static dev.varve.server.command.CommandFlag.FAST;
import static dev.varve.server.command.CommandFlag.READONLY;
import static dev.varve.server.command.CommandFlag.WRITE;

import dev.varve.codec.DataException;
import dev.varve.codec.Meta;
import dev.varve.codec.Transaction;
import dev.varve.codec.format.IntegerText;
import dev.varve.codec.string.BitFields;
import dev.varve.codec.string.Bitmaps;
import dev.varve.codec.string.Strings;
import dev.varve.server.command.Arguments;
import dev.varve.server.command.Command;
import dev.varve.server.command.CommandContext;
import dev.varve.server.command.CommandGroup;
import dev.varve.server.command.CommandTable;
import dev.varve.server.resp.Args;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The commands of the bitmap group. */
public final class BitmapCommands {
  private static final DataException BAD_OFFSET =
      new DataException("ERR bit offset is not an integer or out of range");
  private static final DataException BAD_BIT =
      new DataException("ERR bit is not an integer or out of range");
  private static final DataException NEITHER_0_NOR_1 =
      new DataException("ERR The bit argument must be 1 or 0.");
  private static final DataException ONE_SOURCE =
      new DataException("ERR BITOP NOT must be called with a single source key.");
  private static final DataException BAD_TYPE =
      new DataException(
          "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but"
              + " i64 is.");
  private static final DataException BAD_OVERFLOW =
      new DataException("ERR Invalid OVERFLOW type specified");
  private static final DataException ONLY_GET =
      new DataException("ERR BITFIELD_RO only supports the GET subcommand");

  /** What Redis has since 8.2. */
  private static final Set<Bitmaps.Operation> LATER =
      EnumSet.of(
          Bitmaps.Operation.DIFF,
          Bitmaps.Operation.DIFF1,
          Bitmaps.Operation.ANDOR,
          Bitmaps.Operation.ONE);

  private static final Set<Bitmaps.Operation> OF_FIRST_AND_OTHERS =
      EnumSet.of(Bitmaps.Operation.DIFF, Bitmaps.Operation.DIFF1, Bitmaps.Operation.ANDOR);

  private static final int SIGNED_BITS_MAX = 64;
  private static final int UNSIGNED_BITS_MAX = 63;

  private BitmapCommands() {}

  public static void register(CommandTable table) {
    table.add(
        CommandGroup.BITMAP,
        Command.named("setbit")
            .arity(4)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Write the bit at an offset, and give the one before")
            .does(BitmapCommands::setBit),
        Command.named("getbit")
            .arity(3)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("2.2.0")
            .summary("Give the bit at an offset, 0 behind the end")
            .does(BitmapCommands::getBit),
        Command.named("bitcount")
            .arity(-2)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.6.0")
            .summary("Count the ones in a string, or between two offsets")
            .does(BitmapCommands::count),
        Command.named("bitpos")
            .arity(-3)
            .flags(READONLY)
            .keys(1, 1, 1)
            .since("2.8.7")
            .summary("Find the first one or zero bit of a string, or between two offsets")
            .does(BitmapCommands::position),
        Command.named("bitop")
            .arity(-4)
            .flags(WRITE, DENYOOM)
            .keys(2, -1, 1)
            .since("2.6.0")
            .summary("Store what strings give together: AND, OR, XOR, NOT, DIFF, DIFF1, ANDOR, ONE")
            .does(BitmapCommands::operate),
        Command.named("bitfield")
            .arity(-2)
            .flags(WRITE, DENYOOM)
            .keys(1, 1, 1)
            .since("3.2.0")
            .summary("Read, write and count up integers of 1 to 64 bits anywhere in a string")
            .does((context, args) -> fields(context, args, false)),
        Command.named("bitfield_ro")
            .arity(-2)
            .flags(READONLY, FAST)
            .keys(1, 1, 1)
            .since("6.0.0")
            .summary("BITFIELD that only reads")
            .does((context, args) -> fields(context, args, true)));
  }

  /**
   * The number of a bit.
   *
   * @param width of an integer, of which a number after '#' counts how many are before; 0 where
   *     there is no such form
   */
  private static long offset(CommandContext context, Args args, int index, int width) {
    byte[] text = args.get(index);
    boolean isCounted = width > 0 && text.length > 0 && text[0] == '#';
    int from = isCounted ? 1 : 0;
    long offset = IntegerText.parse(text, from, text.length);
    if (offset == IntegerText.NOT_AN_INTEGER || offset < 0) {
      throw BAD_OFFSET;
    }
    if (isCounted) {
      offset *= width;
    }
    if (offset < 0 || offset >> 3 >= context.stringBytesMax()) {
      throw BAD_OFFSET;
    }
    return offset;
  }

  private static void setBit(CommandContext context, Args args) {
    long offset = offset(context, args, 2, 0);
    long bit = Arguments.integer(args, 3, 0, 1, BAD_BIT);
    boolean was =
        Bitmaps.set(context.transaction(), context.database(), args.get(1), offset, bit == 1);
    context.reply().integer(was ? 1 : 0);
  }

  private static void getBit(CommandContext context, Args args) {
    long offset = offset(context, args, 2, 0);
    boolean on = Bitmaps.get(context.transaction(), context.database(), args.get(1), offset);
    context.reply().integer(on ? 1 : 0);
  }

  private static void count(CommandContext context, Args args) {
    // As in Redis, the range is not looked at where there is no string.
    long bits =
        Bitmaps.count(
            context.transaction(), context.database(), args.get(1), () -> rangeToCount(args));
    context.reply().integer(bits);
  }

  private static Bitmaps.@Nullable Range rangeToCount(Args args) {
    if (args.count() == 2) {
      return null;
    }
    if (args.count() > 5 || args.count() == 3) {
      throw Arguments.SYNTAX_ERROR;
    }
    long start = Arguments.integer(args, 2);
    long end = Arguments.integer(args, 3);
    // As in Redis, where there is nothing to count its unit is not looked at.
    boolean isEmpty = start < 0 && end < 0 && start > end;
    return new Bitmaps.Range(start, end, !isEmpty && isBits(args, 4));
  }

  private static boolean isBits(Args args, int index) {
    if (args.count() <= index || args.is(index, "BYTE")) {
      return false;
    }
    if (!args.is(index, "BIT")) {
      throw Arguments.SYNTAX_ERROR;
    }
    return true;
  }

  private static void position(CommandContext context, Args args) {
    long bit = Arguments.integer(args, 2);
    if (bit != 0 && bit != 1) {
      throw NEITHER_0_NOR_1;
    }
    context
        .reply()
        .integer(
            Bitmaps.position(
                context.transaction(),
                context.database(),
                args.get(1),
                bit == 1,
                () -> rangeToSearch(args),
                args.count() > 4));
  }

  private static Bitmaps.@Nullable Range rangeToSearch(Args args) {
    if (args.count() == 3) {
      return null;
    }
    if (args.count() > 6) {
      throw Arguments.SYNTAX_ERROR;
    }
    long start = Arguments.integer(args, 3);
    boolean isBits = isBits(args, 5);
    return new Bitmaps.Range(start, args.count() > 4 ? Arguments.integer(args, 4) : -1, isBits);
  }

  private static void operate(CommandContext context, Args args) {
    Bitmaps.Operation operation = null;
    for (Bitmaps.Operation one : Bitmaps.Operation.values()) {
      if (args.is(1, one.name())) {
        operation = one;
      }
    }
    if (operation == null) {
      throw Arguments.SYNTAX_ERROR;
    }
    if (operation == Bitmaps.Operation.NOT && args.count() != 4) {
      throw ONE_SOURCE;
    }
    if (OF_FIRST_AND_OTHERS.contains(operation) && args.count() < 5) {
      throw new DataException(
          "ERR BITOP " + operation + " must be called with at least two source keys.");
    }
    Transaction transaction = context.transaction();
    int database = context.database();
    byte[] target = args.get(2);
    boolean isTold = LATER.contains(operation) && context.effects().areWanted();
    boolean wasThere = isTold && transaction.peek(database, target) != null;
    int length =
        Bitmaps.operate(transaction, database, operation, target, args.list(3, args.count()));
    if (isTold) {
      tellResult(context, target, wasThere);
    }
    context.reply().integer(length);
  }

  /** Replicas may be older than the operation. */
  private static void tellResult(CommandContext context, byte[] target, boolean wasThere) {
    int database = context.database();
    Meta result = context.transaction().peek(database, target);
    if (result != null) {
      byte[] value = Strings.value(context.transaction(), database, target, result).toBytes();
      context.effects().instead(database, "SET", target, value);
    } else if (wasThere) {
      context.effects().instead(database, "DEL", target);
    }
  }

  private static void fields(CommandContext context, Args args, boolean isReadOnly) {
    List<BitFields.Step> steps = new ArrayList<>();
    BitFields.Overflow overflow = BitFields.Overflow.WRAP;
    boolean writes = false;
    for (int i = 2; i < args.count(); ) {
      int left = args.count() - i - 1;
      if (args.is(i, "OVERFLOW") && left >= 1) {
        overflow = overflow(args, i + 1);
        i += 2;
      } else if (args.is(i, "GET") && left >= 2) {
        steps.add(step(context, args, i, BitFields.Action.GET, overflow));
        i += 3;
      } else if ((args.is(i, "SET") || args.is(i, "INCRBY")) && left >= 3) {
        BitFields.Action action =
            args.is(i, "SET") ? BitFields.Action.SET : BitFields.Action.INCREMENT;
        steps.add(step(context, args, i, action, overflow));
        writes = true;
        i += 4;
      } else {
        throw Arguments.SYNTAX_ERROR;
      }
    }
    if (isReadOnly && writes) {
      throw ONLY_GET;
    }
    context.reply().array(steps.size());
    if (!writes) {
      for (long value :
          BitFields.get(context.transaction(), context.database(), args.get(1), steps)) {
        context.reply().integer(value);
      }
      return;
    }
    for (@Nullable Long value :
        BitFields.run(context.transaction(), context.database(), args.get(1), steps)) {
      if (value == null) {
        context.reply().nullBulk();
      } else {
        context.reply().integer(value);
      }
    }
  }

  private static BitFields.Overflow overflow(Args args, int index) {
    if (args.is(index, "WRAP")) {
      return BitFields.Overflow.WRAP;
    }
    if (args.is(index, "SAT")) {
      return BitFields.Overflow.SATURATE;
    }
    if (args.is(index, "FAIL")) {
      return BitFields.Overflow.FAIL;
    }
    throw BAD_OVERFLOW;
  }

  private static BitFields.Step step(
      CommandContext context,
      Args args,
      int index,
      BitFields.Action action,
      BitFields.Overflow overflow) {
    byte[] type = args.get(index + 1);
    boolean isSigned = type.length > 0 && type[0] == 'i';
    if (type.length == 0 || (!isSigned && type[0] != 'u')) {
      throw BAD_TYPE;
    }
    long bits = IntegerText.parse(type, 1, type.length);
    if (bits == IntegerText.NOT_AN_INTEGER
        || bits < 1
        || bits > (isSigned ? SIGNED_BITS_MAX : UNSIGNED_BITS_MAX)) {
      throw BAD_TYPE;
    }
    long offset = offset(context, args, index + 2, (int) bits);
    long operand = action == BitFields.Action.GET ? 0 : Arguments.integer(args, index + 3);
    return new BitFields.Step(action, isSigned, (int) bits, offset, operand, overflow);
  }
}
