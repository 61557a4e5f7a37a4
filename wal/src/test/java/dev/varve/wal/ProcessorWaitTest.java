package dev.varve.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ProcessorWaitTest {
  @TempDir Path directory;

  private long now = 1_000;

  private void waited(long nanos) throws IOException {
    Files.writeString(directory.resolve("schedstat"), "123456 " + nanos + " 78\n");
  }

  private ProcessorWait open() throws IOException {
    return new ProcessorWait(directory.resolve("schedstat"), () -> now);
  }

  @Test
  void whatAThreadWaitedForAProcessorIsNotItsOwnTime() throws IOException {
    waited(500);
    try (ProcessorWait wait = open()) {
      now = 1_010;
      long began = now;
      now = 1_110;
      waited(570);
      // Ten of it were before the task, and may have been the wait.
      assertEquals(40, wait.ownNanosSince(began));
    }
  }

  @Test
  void itIsNotedAnewWhenItIsDue() throws IOException {
    waited(0);
    try (ProcessorWait wait = open()) {
      now = 1_090;
      waited(20);
      wait.noteAfter(100);
      assertEquals(70, wait.ownNanosSince(1_000), "noted too soon");
      now = 1_100;
      wait.noteAfter(100);
      now = 1_200;
      waited(70);
      assertEquals(50, wait.ownNanosSince(1_100));
    }
  }

  @Test
  void allOfItIsItsOwnWhereItWasNotNotedBefore() throws IOException {
    waited(500);
    try (ProcessorWait wait = open()) {
      now = 1_200;
      waited(690);
      assertEquals(300, wait.ownNanosSince(900));
    }
  }

  @Test
  void itIsNeverMoreThanAllOfTheTime() throws IOException {
    waited(500);
    try (ProcessorWait wait = open()) {
      now = 5_000;
      assertEquals(10, wait.ownNanosSince(4_990));
      Files.writeString(directory.resolve("schedstat"), "");
      assertEquals(10, wait.ownNanosSince(4_990));
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aThreadThatSleepsDoesNotWaitForAProcessor() throws InterruptedException {
    ProcessorWait its = ProcessorWait.ofThisThread();
    assertNotNull(its);
    try (ProcessorWait wait = its) {
      long began = System.nanoTime();
      Thread.sleep(30);
      // It may well wait for one before it goes on, but only after it has slept.
      assertTrue(wait.ownNanosSince(began) >= TimeUnit.MILLISECONDS.toNanos(30));
    }
  }
}
