package dev.varve.server.net;

import dev.varve.server.command.CommandTable;
import dev.varve.server.command.access.RuleException;
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
    UsersInForce its = new UsersInForce(settings, users);
    its.apply();
    if (file.isNamed()) {
      try {
        // As in Redis, what it says of the default user goes before requirepass.
        users.load(file.read());
      } catch (RuleException wrong) {
        throw new IOException(wrong.what(), wrong);
      }
    }
    keyspace.users(users);
    settings.onChange(its::apply);
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
