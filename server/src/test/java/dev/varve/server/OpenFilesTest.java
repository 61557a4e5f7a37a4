package dev.varve.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class OpenFilesTest {

  @Test
  void aLimitBelowWhatClientsNeedIsToldWithBothNumbers() {
    assertEquals(
        Optional.of(
            "the process may open 1024 files and sockets, and maxclients 10000 with its data needs"
                + " 10084: raise the limit (ulimit -n, LimitNOFILE), or lower maxclients"),
        OpenFiles.warning(1024, 10_000, 20));
  }

  @Test
  void aLimitThatIsEnoughIsNotTold() {
    assertEquals(Optional.empty(), OpenFiles.warning(10_084, 10_000, 20));
    assertTrue(OpenFiles.warning(10_083, 10_000, 20).isPresent());
    assertEquals(Optional.empty(), OpenFiles.warning(Long.MAX_VALUE, 0xFFFF_FFFFL, 20));
  }

  @Test
  void theLimitOfThisProcessIsKnown() {
    assertTrue(OpenFiles.limit() > 0);
  }
}
