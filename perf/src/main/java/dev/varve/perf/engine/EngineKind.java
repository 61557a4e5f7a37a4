package dev.varve.perf.engine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The engines that can be measured. */
enum EngineKind {
  VARVE {
    @Override
    EngineUnderTest open(Path directory, EngineOptions options) throws IOException {
      return new VarveUnderTest(directory, options);
    }
  },
  ROCKSDB {
    @Override
    EngineUnderTest open(Path directory, EngineOptions options) throws IOException {
      return new RocksUnderTest(directory, options);
    }
  },
  LMDB {
    @Override
    EngineUnderTest open(Path directory, EngineOptions options) {
      return new LmdbUnderTest(directory);
    }
  },
  MVSTORE {
    @Override
    EngineUnderTest open(Path directory, EngineOptions options) {
      return new MvStoreUnderTest(directory, options);
    }
  };

  /** Opens it in a directory, which it leaves as it was when it was closed the last time. */
  abstract EngineUnderTest open(Path directory, EngineOptions options) throws IOException;

  /** Its name in tables and on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The engine of that name, or null. */
  static @Nullable EngineKind of(String label) {
    for (EngineKind kind : values()) {
      if (kind.label().equals(label)) {
        return kind;
      }
    }
    return null;
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(EngineKind::label).toList();
  }
}
