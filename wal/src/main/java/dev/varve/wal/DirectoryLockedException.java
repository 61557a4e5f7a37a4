package dev.varve.wal;

import java.io.IOException;

/** Another owner has the directory: two servers on one directory would destroy it. */
public final class DirectoryLockedException extends IOException {
  private static final long serialVersionUID = 1L;

  public DirectoryLockedException(String path) {
    super(
        "directory "
            + path
            + " is in use by another Varve; stop that one, or choose another --dir");
  }
}
