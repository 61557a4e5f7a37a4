package dev.varve.codec.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreBatchTest {

  private static byte[] key(int number) {
    return new byte[] {(byte) number};
  }

  private static List<byte[]> valuesPut(StoreBatch batch) {
    List<byte[]> values = new ArrayList<>();
    batch.accept(
        new StoreBatch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            values.add(value);
          }

          @Override
          public void delete(byte[] key) {}

          @Override
          public void count(long counterId, long delta) {}
        });
    return values;
  }

  /** Few writes are kept in another form than many. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void whatIsInsertedWhereTheBatchHasDeletedIsAPutLikeOthers(int others) {
    StoreBatch batch = new StoreBatch();
    for (int i = 0; i < others; i++) {
      batch.delete(key(i));
    }
    batch.insert(key(121));
    batch.delete(key(122));
    batch.insert(key(122));
    batch.insert(key(123));
    batch.delete(key(123));
    batch.insert(key(123));
    List<byte[]> values = valuesPut(batch);
    assertSame(StoreBatch.INSERTED, values.get(0));
    for (int i = 1; i <= 2; i++) {
      assertNotSame(StoreBatch.INSERTED, values.get(i));
      assertNotSame(StoreBatch.DELETED, values.get(i));
      assertArrayEquals(new byte[0], values.get(i));
    }
  }
}
