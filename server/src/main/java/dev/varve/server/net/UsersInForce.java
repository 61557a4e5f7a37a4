package dev.varve.server.net;

import dev.varve.server.command.CommandTable;
import dev.varve.server.command.access.RuleException;
import dev.varve.server.command.access.UserLines;
import dev.varve.server.command.access.Users;
import dev.varve.server.command.admin.UserFile;
import dev.varve.server.command.run.Keyspace;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import java.io.IOException;

/**
 * Makes the users of a server of what its settings say, and follows these.
 *
 * <p>Called by whoever changes one, one after the other.
 */
final class UsersInForce {
  private static final String BOTH =
      "user: users are in the configuration or in the aclfile, not in both";

  private final Settings settings;
  private final Users users;
  private String password = "";

  private UsersInForce(Settings settings, Users users) {
    this.settings = settings;
    this.users = users;
  }

  /**
   * Makes them, once {@code table} has all commands.
   *
   * @throws IOException when the file of users cannot be read, saying what is wrong with it
   */
  static void keep(Settings settings, Keyspace keyspace, CommandTable table, UserFile file)
      throws IOException {
    Users users = new Users(table);
    UsersInForce inForce = new UsersInForce(settings, users);
    inForce.apply();
    // As in Redis, what either says of the default user goes before requirepass.
    String lines = settings.text(Parameters.USER);
    if (file.isNamed() && !lines.isEmpty()) {
      throw new IOException(BOTH);
    }
    try {
      if (file.isNamed()) {
        users.load(file.read());
      } else {
        users.configure(UserLines.ofConfiguration(lines));
      }
    } catch (RuleException wrong) {
      throw new IOException(wrong.what(), wrong);
    }
    keyspace.users(users);
    settings.onChange(inForce::apply);
  }

  private void apply() {
    users.openChannels(settings.text(Parameters.ACL_PUBSUB_DEFAULT).equals("allchannels"));
    String wanted = settings.text(Parameters.REQUIREPASS);
    if (!wanted.equals(password)) {
      password = wanted;
      users.defaultPassword(wanted);
    }
  }
}
