package dev.varve.server.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.wal.CrashableStorageDirectory;
import dev.varve.wal.FailingStorageDirectory;
import dev.varve.wal.FailingStorageDirectory.Kind;
import dev.varve.wal.StorageDirectory;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpoolTest {
  private static final int BYTES = 1 << 10;
  private static final long NO_LIMIT = Long.MAX_VALUE;

  private final CrashableStorageDirectory device = new CrashableStorageDirectory();
  private final FailingStorageDirectory directory = new FailingStorageDirectory(device);
  private final SpoolFiles files = new SpoolFiles(directory);
  private final Spool spool = new Spool(files, 64L * BYTES);

  private Spool.Place append(int number) throws IOException {
    return append(spool, number);
  }

  private static Spool.Place append(Spool spool, int number) throws IOException {
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) number);
    Spool.Place place = spool.append(bytes, (long) number * BYTES, NO_LIMIT);
    assertNotNull(place);
    return place;
  }

  private static void assertHas(int number, Spool.Place place) throws IOException {
    byte[] wanted = new byte[BYTES];
    Arrays.fill(wanted, (byte) number);
    assertArrayEquals(wanted, place.read());
  }

  @Test
  void givesBackWhatItWasGiven() throws IOException {
    Spool.Place[] places = new Spool.Place[100];
    for (int i = 0; i < places.length; i++) {
      places[i] = append(i);
    }
    assertEquals(100L * BYTES, spool.bytes());
    for (int i = 0; i < places.length; i++) {
      assertHas(i, places[i]);
    }
  }

  @Test
  void whatNobodyReadsAnyMoreLeavesTheDisk() throws IOException {
    for (int i = 1; i < 100; i++) {
      append(i);
    }
    Spool.Place last = append(100);
    assertEquals(2, directory.list().size());
    spool.release(64L * BYTES - 1);
    assertEquals(2, directory.list().size());
    spool.release(64L * BYTES);
    assertEquals(1, directory.list().size());
    assertEquals(36L * BYTES, spool.bytes());
    assertHas(100, last);
    spool.release(100L * BYTES);
    assertEquals(0, directory.list().size());
    assertEquals(0, spool.bytes());
    assertHas(101, append(101));
    spool.close();
    assertEquals(0, directory.list().size());
  }

  @Test
  void takesNoMoreThanItMay() throws IOException {
    append(1);
    assertNull(spool.append(new byte[BYTES], 2L * BYTES, 2L * BYTES - 1));
    assertNotNull(spool.append(new byte[BYTES], 2L * BYTES, 2L * BYTES));
  }

  @Test
  void leavesRoomForData() throws IOException {
    assertNull(
        new Spool(new SpoolFiles(withFree(256L << 20))).append(new byte[BYTES], BYTES, NO_LIMIT));
    assertNotNull(
        new Spool(new SpoolFiles(withFree(400L << 20))).append(new byte[BYTES], BYTES, NO_LIMIT));
  }

  /** The same directory, on a disk that has so much space left. */
  private StorageDirectory withFree(long bytes) {
    return (StorageDirectory)
        Proxy.newProxyInstance(
            StorageDirectory.class.getClassLoader(),
            new Class<?>[] {StorageDirectory.class},
            (proxy, method, arguments) ->
                method.getName().equals("usableBytes")
                    ? bytes
                    : method.invoke(directory, arguments));
  }

  @Test
  void whatAKilledProcessHasLeftIsDeleted() throws IOException {
    append(1);
    directory.create("other").close();
    SpoolFiles.open(directory);
    assertEquals(List.of("other"), directory.list());
    assertThrows(IOException.class, () -> directory.open("SPOOL-0"));
  }

  @Test
  void whatIsWantedIsThereAlthoughSomethingElseCannotBeDeleted() throws IOException {
    for (int i = 1; i < 100; i++) {
      append(i);
    }
    Spool.Place wanted = append(100);
    directory.failCall(Kind.DELETE, 1, new IOException("Input/output error"));
    spool.release(64L * BYTES);
    assertHas(100, wanted);
    assertEquals(2, directory.list().size());
    spool.release(64L * BYTES);
    assertHas(100, wanted);
    assertEquals(1, directory.list().size());
  }

  @Test
  void whatCouldNotBeDeletedIsNoObstacleToTheNext() throws IOException {
    append(1);
    directory.failCall(Kind.DELETE, 1, new IOException("Input/output error"));
    spool.close();
    assertEquals(1, directory.list().size());
    try (Spool next = new Spool(files, 64L * BYTES)) {
      assertHas(2, append(next, 2));
      next.release(0);
      assertEquals(1, directory.list().size());
    }
    assertEquals(0, directory.list().size());
  }

  @Test
  void whatCouldNotBeDeletedTakesRoom() throws IOException {
    append(1);
    directory.failAll(call -> call.kind() == Kind.DELETE, new IOException("Input/output error"));
    spool.release(BYTES);
    assertNull(spool.append(new byte[BYTES], 2L * BYTES, 2L * BYTES - 1));
    assertNotNull(spool.append(new byte[BYTES], 2L * BYTES, 2L * BYTES));
  }

  /** One may still be read while there is another one already. */
  @Test
  void twoAreSideBySide() throws IOException {
    Spool.Place first = append(1);
    try (Spool other = new Spool(files, 64L * BYTES)) {
      Spool.Place second = append(other, 2);
      assertHas(1, first);
      assertHas(2, second);
    }
    assertHas(1, first);
  }

  @Test
  void whatAKilledProcessHasLeftAndCannotBeDeletedIsNoObstacle() throws IOException {
    append(1);
    directory.failAll(call -> call.kind() == Kind.DELETE, new IOException("Input/output error"));
    try (Spool next = new Spool(SpoolFiles.open(directory))) {
      assertHas(2, append(next, 2));
      directory.heal();
    }
    assertEquals(List.of(), directory.list());
  }
}
