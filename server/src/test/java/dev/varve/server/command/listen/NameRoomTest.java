package dev.varve.server.command.listen;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.codec.DataException;
import dev.varve.server.resp.Args;
import org.junit.jupiter.api.Test;

class NameRoomTest {
  /** An eighth of it has room for ten short names. */
  private final NameRoom room = NameRoom.ofListened(8 * 10 * 264);

  @Test
  void namesOfAllClientsFillIt() {
    Args names = Args.of("WATCH", "a", "b", "c", "d");
    room.require(names);
    for (int i = 0; i < 7; i++) {
      room.taken(new byte[] {'a'});
    }
    assertThrows(DataException.class, () -> room.require(names));
    room.given(new byte[] {'a'});
    room.given(new byte[] {'a'});
    room.require(names);
  }

  @Test
  void aLongNameTakesMoreOfIt() {
    assertThrows(DataException.class, () -> room.require(Args.of("WATCH", "a".repeat(3_000))));
  }
}
