package dev.varve.perf;

import dev.varve.perf.engine.EngineCommand;
import dev.varve.perf.peer.BesideCommand;
import dev.varve.perf.peer.ColdCommand;
import dev.varve.perf.peer.IdleCommand;
import dev.varve.perf.peer.ServerCommand;
import dev.varve.perf.peer.SustainedCommand;
import dev.varve.perf.server.ChurnCommand;
import dev.varve.perf.server.ExpireCommand;
import dev.varve.perf.server.ReclaimCommand;
import dev.varve.perf.soak.SoakCommand;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code java -jar varve-perf.jar}: the way into all measurements. */
@Command(
    name = "varve-perf",
    description = "Measures Varve, and others beside it in the same run.",
    mixinStandardHelpOptions = true,
    versionProvider = Harness.JarVersion.class,
    subcommands = {
      EngineCommand.class,
      ServerCommand.class,
      ColdCommand.class,
      SustainedCommand.class,
      BesideCommand.class,
      IdleCommand.class,
      ReclaimCommand.class,
      ChurnCommand.class,
      ExpireCommand.class,
      SoakCommand.class
    })
public final class Harness {

  public static void main(String[] args) {
    // Charts and JSON have points, whatever the machine's language.
    Locale.setDefault(Locale.ROOT);
    // The table is the output; what a library says of itself is not.
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
    System.exit(commandLine().execute(args));
  }

  /** What a run says by an IOException is for its user, and one line. */
  static CommandLine commandLine() {
    return new CommandLine(new Harness())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              if (!(failure instanceof IOException) || failure.getMessage() == null) {
                throw failure;
              }
              command.getErr().println("varve-perf: " + failure.getMessage());
              return command.getCommandSpec().exitCodeOnExecutionException();
            });
  }

  /** As the server has it: the jar's. */
  static final class JarVersion implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Harness.class.getPackage().getImplementationVersion();
      return new String[] {"varve-perf " + (version == null ? "(unpackaged)" : version)};
    }
  }

  Harness() {}
}
