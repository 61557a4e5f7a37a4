package dev.varve.server.command.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.varve.server.command.access.RuleException;
import dev.varve.server.command.access.UserLines;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.NamedFile;
import dev.varve.server.config.Parameters;
import dev.varve.server.config.Settings;
import java.io.IOException;
import java.util.List;

/**
 * The file that {@code aclfile} names, in which users are kept.
 *
 * <p>For threads that may block.
 */
public final class UserFile {
  private final Settings settings;

  public UserFile(Settings settings) {
    this.settings = settings;
  }

  /** Whether there is one. */
  public boolean isNamed() {
    return !path().isEmpty();
  }

  private String path() {
    return settings.text(Parameters.ACLFILE);
  }

  /**
   * The users in it.
   *
   * @throws RuleException saying what is wrong with it, and in which line
   */
  public List<UserLines.Line> read() throws RuleException {
    try {
      byte[] bytes = NamedFile.read(Parameters.ACLFILE, path());
      return UserLines.parse(path(), new String(bytes, ISO_8859_1));
    } catch (ConfigException unreadable) {
      throw new RuleException("Error loading ACLs, " + unreadable.what());
    }
  }

  /** Replaces all of it, at once or not at all. */
  void write(String text) throws IOException {
    NamedFile.replace(path(), text.getBytes(ISO_8859_1));
  }
}
