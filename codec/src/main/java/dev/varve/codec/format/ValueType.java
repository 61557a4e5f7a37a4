package dev.varve.codec.format;

/** What a key holds, under the code that the formats use and the name that TYPE replies. */
public enum ValueType {
  STRING(1, "string"),
  LIST(2, "list"),
  SET(3, "set"),
  ZSET(4, "zset"),
  HASH(5, "hash"),
  STREAM(6, "stream");

  private static final ValueType[] BY_CODE = {STRING, LIST, SET, ZSET, HASH, STREAM};

  private final int code;
  private final String redisName;

  ValueType(int code, String redisName) {
    this.code = code;
    this.redisName = redisName;
  }

  /** The stable number of this type in stored values: 1 to 15. */
  public int code() {
    return code;
  }

  /** The name that Redis gives it. */
  public String redisName() {
    return redisName;
  }

  /** How many items a packed entry of this type has: a hash its field and value, and so on. */
  public int itemsPerEntry() {
    return this == HASH || this == ZSET ? 2 : 1;
  }

  /**
   * The type with that code.
   *
   * @throws DamagedValueException when there is none
   */
  public static ValueType ofCode(int code) {
    if (code < 1 || code > BY_CODE.length) {
      throw new DamagedValueException("no type has the code " + code);
    }
    return BY_CODE[code - 1];
  }
}
