package dev.varve.server.command.data;

import dev.varve.codec.Glob;
import dev.varve.codec.Transaction;
import dev.varve.codec.member.MemberPage;
import dev.varve.server.command.CommandContext;
import dev.varve.server.resp.Args;
import org.jspecify.annotations.Nullable;

/** HSCAN and SSCAN, which differ in the collection that they walk only. */
final class MemberScan {
  private MemberScan() {}

  /** How many members the collection under a key has; zero without one. */
  interface Size {
    long of(Transaction transaction, int database, byte[] key);
  }

  /** One step of a walk, as codec's structures offer it. */
  interface Step {
    MemberPage from(
        Transaction transaction,
        int database,
        byte[] key,
        long position,
        long count,
        @Nullable Glob match);
  }

  static void run(
      CommandContext context, Args args, ScanArguments.Over over, Size size, Step step) {
    long position = ScanArguments.cursor(args, 2);
    Transaction transaction = context.transaction();
    int database = context.database();
    byte[] key = args.get(1);
    // As in Redis, the options of a scan of nothing are not even looked at.
    if (size.of(transaction, database, key) == 0) {
      MemberReply.emptyPage(context.reply());
      return;
    }
    ScanArguments options = ScanArguments.options(args, 3, over);
    MemberPage page =
        step.from(transaction, database, key, position, options.count(), options.match());
    if (options.namesOnly()) {
      MemberReply.namePage(context.reply(), page);
    } else {
      MemberReply.page(context.reply(), page);
    }
  }
}
