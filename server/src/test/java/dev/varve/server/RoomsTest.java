package dev.varve.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The rooms of docs/architecture.md and the arrows between them, as the compiled classes have them.
 */
class RoomsTest {
  private static final String STORE = "dev.varve.codec.store";
  private static final String COMMAND = "dev.varve.server.command";

  private static final List<String> FILE_ACCESS =
      List.of("java.nio.file.", "java.nio.channels.", "java.io.File", "java.io.RandomAccessFile");

  /** All that is shipped with the server, without anybody's tests. */
  private static final JavaClasses SHIPPED =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.varve");

  /** A room uses only these of Varve's packages; ".." stands for all below. */
  private static void imports(String room, String... allowed) {
    String[] all = new String[allowed.length + 1];
    System.arraycopy(allowed, 0, all, 0, allowed.length);
    all[allowed.length] = room;
    DescribedPredicate<JavaClass> foreign =
        JavaClass.Predicates.resideInAPackage("dev.varve..")
            .and(DescribedPredicate.not(JavaClass.Predicates.resideInAnyPackage(all)))
            .as("are in other rooms of Varve than " + String.join(", ", all));
    noClasses().that().resideInAPackage(room).should().dependOnClassesThat(foreign).check(SHIPPED);
  }

  @Test
  void everyRoomWasRead() {
    for (String room : new String[] {"wal", "lsm", "compaction", "codec", "server"}) {
      assertTrue(
          SHIPPED.stream().anyMatch(type -> type.getPackageName().startsWith("dev.varve." + room)),
          room);
    }
    assertTrue(SHIPPED.stream().noneMatch(type -> type.getSimpleName().endsWith("Test")));
  }

  @Test
  void arrowsBetweenRoomsPointDown() {
    imports("dev.varve.wal..");
    imports("dev.varve.lsm..", "dev.varve.wal..");
    imports("dev.varve.compaction..", "dev.varve.lsm..", "dev.varve.wal..");
    imports("dev.varve.codec..");
  }

  @Test
  void theCodecStandsAlone() {
    imports(STORE);
    imports("dev.varve.codec.format");
    imports("dev.varve.codec.rank", "dev.varve.codec.format", STORE);
    imports("dev.varve.codec", "dev.varve.codec.rank", "dev.varve.codec.format", STORE);
    for (String structure : new String[] {"string", "member", "stream"}) {
      imports("dev.varve.codec." + structure, "dev.varve.codec", "dev.varve.codec.format", STORE);
    }
    imports(
        "dev.varve.codec.list",
        "dev.varve.codec.member",
        "dev.varve.codec",
        "dev.varve.codec.format",
        STORE);
    imports(
        "dev.varve.codec.zset",
        "dev.varve.codec.rank",
        "dev.varve.codec.geo",
        "dev.varve.codec",
        "dev.varve.codec.format",
        STORE);
    // Not those that write what it judges.
    imports(
        "dev.varve.codec.check",
        "dev.varve.codec.rank",
        "dev.varve.codec",
        "dev.varve.codec.format",
        STORE);
    classes()
        .that()
        .resideInAPackage("dev.varve.codec..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.varve.codec..",
            "java.lang..",
            "java.util..",
            "java.nio..",
            "java.math..",
            "java.io..",
            "org.jspecify..")
        .check(SHIPPED);
  }

  @Test
  void packagesOfTheTreePointDownToo() {
    imports("dev.varve.lsm.entry", "dev.varve.wal");
    imports("dev.varve.lsm.memtable", "dev.varve.lsm.entry", "dev.varve.wal");
    imports("dev.varve.lsm.version", "dev.varve.lsm.entry", "dev.varve.wal");
    imports("dev.varve.lsm.table", "dev.varve.lsm.version", "dev.varve.lsm.entry", "dev.varve.wal");
  }

  @Test
  void packagesOfTheServerPointDownToo() {
    imports("dev.varve.server.resp", "dev.varve.codec.format");
    imports("dev.varve.server.lua..");
    imports("dev.varve.server.lua.value");
    imports("dev.varve.server.lua.syntax", "dev.varve.server.lua.value");
    imports(
        "dev.varve.server.lua.run", "dev.varve.server.lua.syntax", "dev.varve.server.lua.value");
    imports(
        "dev.varve.server.lua.lib",
        "dev.varve.server.lua.run",
        "dev.varve.server.lua.syntax",
        "dev.varve.server.lua.value");
    imports("dev.varve.server.config", "dev.varve.server.resp", "dev.varve.codec..");
    imports(
        "dev.varve.server.engine",
        "dev.varve.codec..",
        "dev.varve.compaction",
        "dev.varve.lsm..",
        "dev.varve.wal");
    imports(
        "dev.varve.server.script",
        "dev.varve.server.lua..",
        "dev.varve.server.resp",
        "dev.varve.codec..");
    imports(
        "dev.varve.server.net",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        "dev.varve.server.engine",
        COMMAND + "..",
        "dev.varve.server.net.loop",
        "dev.varve.server.net.commit",
        "dev.varve.server.net.connection",
        "dev.varve.server.net.background",
        "dev.varve.server.net.follow",
        "dev.varve.server.net.lead",
        "dev.varve.server.net.tls",
        // For the counter of the clock.
        "dev.varve.codec",
        STORE,
        "dev.varve.wal");
    SlicesRuleDefinition.slices()
        .matching("dev.varve.(**)")
        .should()
        .beFreeOfCycles()
        .check(SHIPPED);
  }

  @Test
  void packagesOfTheCommandsPointDownToo() {
    imports(COMMAND, "dev.varve.server.script", "dev.varve.server.resp", "dev.varve.codec..");
    imports(
        COMMAND + ".listen",
        COMMAND,
        "dev.varve.server.resp",
        "dev.varve.codec..",
        // For the signal of a cold block alone, as below.
        "dev.varve.lsm.entry");
    imports(COMMAND + ".observe", COMMAND, "dev.varve.server.resp");
    imports(
        COMMAND + ".lead",
        COMMAND,
        "dev.varve.server.resp",
        "dev.varve.codec",
        "dev.varve.codec.store");
    imports(COMMAND + ".access", COMMAND, "dev.varve.server.resp", "dev.varve.codec");
    imports(
        COMMAND + ".run",
        COMMAND,
        COMMAND + ".access",
        COMMAND + ".lead",
        COMMAND + ".listen",
        COMMAND + ".observe",
        "dev.varve.server.engine",
        "dev.varve.server.script",
        "dev.varve.server.lua..",
        "dev.varve.server.resp",
        "dev.varve.codec..",
        "dev.varve.lsm.entry");
    imports(COMMAND + ".data", COMMAND, "dev.varve.server.resp", "dev.varve.codec..");
    imports(
        COMMAND + ".session",
        COMMAND,
        COMMAND + ".access",
        COMMAND + ".lead",
        COMMAND + ".listen",
        COMMAND + ".observe",
        COMMAND + ".run",
        "dev.varve.server.script",
        "dev.varve.server.lua..",
        "dev.varve.server.resp",
        "dev.varve.codec..");
    imports(
        COMMAND + ".replication",
        COMMAND,
        COMMAND + ".lead",
        COMMAND + ".run",
        "dev.varve.server.resp",
        "dev.varve.server.engine",
        "dev.varve.codec");
    imports(
        COMMAND + ".cluster",
        COMMAND,
        COMMAND + ".lead",
        COMMAND + ".run",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        "dev.varve.server.engine",
        "dev.varve.codec..");
    imports(
        COMMAND + ".admin",
        COMMAND + "..",
        "dev.varve.server.script",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        "dev.varve.server.engine",
        "dev.varve.codec..");
  }

  @Test
  void packagesOfTheNetworkPointDownToo() {
    imports(
        "dev.varve.server.net.loop",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        COMMAND + ".run",
        // For how a cold block is brought.
        "dev.varve.lsm.entry",
        // For the place of a file that a ring reads, and what a loop waits for a processor.
        "dev.varve.wal");
    imports("dev.varve.server.net.commit", COMMAND, COMMAND + ".run", "dev.varve.server.engine");
    imports("dev.varve.server.net.tls", "dev.varve.server.config");
    imports(
        "dev.varve.server.net.connection",
        "dev.varve.server.net.tls",
        "dev.varve.server.net.loop",
        "dev.varve.server.net.commit",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        COMMAND,
        COMMAND + ".access",
        COMMAND + ".listen",
        COMMAND + ".observe",
        COMMAND + ".run",
        // For all that are connected.
        COMMAND + ".session",
        "dev.varve.server.engine",
        // For the views through which workers have read.
        STORE);
    imports(
        "dev.varve.server.net.background",
        "dev.varve.server.net.loop",
        COMMAND + ".run",
        // For what a migration carries.
        COMMAND + ".admin",
        "dev.varve.server.engine",
        "dev.varve.codec",
        STORE,
        // For the signal of a cold block alone.
        "dev.varve.lsm.entry");
  }

  @Test
  void whoFollowsAnotherServerStandsAboveConnections() {
    imports(
        "dev.varve.server.net.follow",
        "dev.varve.server.net.connection",
        "dev.varve.server.net.loop",
        "dev.varve.server.net.tls",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        COMMAND,
        COMMAND + ".run",
        // For those who follow this server in turn.
        COMMAND + ".lead",
        // For all that are connected.
        COMMAND + ".session",
        "dev.varve.server.engine",
        "dev.varve.server.script",
        "dev.varve.codec",
        "dev.varve.codec.dump",
        STORE,
        // For the signal of a cold block alone.
        "dev.varve.lsm.entry");
  }

  @Test
  void whoIsFollowedStandsAboveCommits() {
    imports(
        "dev.varve.server.net.lead",
        "dev.varve.server.net.commit",
        "dev.varve.server.net.loop",
        "dev.varve.server.resp",
        "dev.varve.server.config",
        COMMAND,
        COMMAND + ".lead",
        COMMAND + ".observe",
        COMMAND + ".run",
        "dev.varve.server.engine",
        "dev.varve.codec",
        "dev.varve.codec.dump",
        STORE);
  }

  @Test
  void commandsAndNetworkKnowOfTheTreeOnlyThatABlockIsColdAndHowItIsBrought() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.varve.server.command..", "dev.varve.server.net..")
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("dev.varve.lsm..")
                .and(
                    DescribedPredicate.not(
                        JavaClass.Predicates.simpleName("ColdBlockSignal")
                            .or(JavaClass.Predicates.simpleName("ColdBlock"))
                            .or(JavaClass.Predicates.simpleName("BlockLoad"))
                            .or(JavaClass.Predicates.simpleName("ReadFailure"))))
                .as("are more of the tree than its signals"))
        .check(SHIPPED);
  }

  @Test
  void onlyTheNetworkKnowsVertx() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.varve.server.net",
            "dev.varve.server.net.loop",
            "dev.varve.server.net.connection",
            "dev.varve.server.net.background",
            "dev.varve.server.net.follow")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.vertx..")
        .check(SHIPPED);
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.varve.server.net..", "dev.varve.server.resp")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty..")
        .check(SHIPPED);
    noClasses()
        .that()
        .resideInAnyPackage("dev.varve.server.resp", "dev.varve.server.net.commit")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty.channel..", "io.netty.handler..")
        .check(SHIPPED);
  }

  @Test
  void allFilesAreReachedThroughTheStoragePort() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.varve.wal", "dev.varve.server", "dev.varve.server.config")
        .and()
        // Whose file has nothing in it.
        .doNotHaveFullyQualifiedName("dev.varve.server.net.UnixSocket")
        .should()
        .dependOnClassesThat(fileAccess())
        .check(SHIPPED);
  }

  private static DescribedPredicate<JavaClass> fileAccess() {
    return DescribedPredicate.describe(
        "access files", type -> FILE_ACCESS.stream().anyMatch(type.getName()::startsWith));
  }

  @Test
  void nothingThatIsStoredOrSaidDependsOnTheLanguageOfTheMachine() {
    noClasses()
        .should()
        .callMethod(String.class, "format", String.class, Object[].class)
        .check(SHIPPED);
    noClasses().should().callMethod(String.class, "formatted", Object[].class).check(SHIPPED);
    noClasses().should().callMethod(String.class, "toLowerCase").check(SHIPPED);
    noClasses().should().callMethod(String.class, "toUpperCase").check(SHIPPED);
  }

  @Test
  void noRoomMapsFilesIntoMemory() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.nio.MappedByteBuffer")
        .check(SHIPPED);
  }
}
