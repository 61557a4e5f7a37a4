package dev.varve.server.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Says in one line what went wrong with a file. Pure functions, any thread. */
public final class FileProblem {
  private FileProblem() {}

  /** The file and what is wrong with it, as far as {@code failure} tells. */
  public static String describe(IOException failure) {
    String what = what(failure);
    return failure instanceof FileSystemException named && named.getReason() == null
        ? named.getFile() + ": " + what
        : what;
  }

  /** The same without the file's name, where the failure itself does not say more. */
  public static String what(IOException failure) {
    if (failure instanceof FileSystemException named && named.getReason() == null) {
      // The JDK leaves these to the name of the class.
      if (failure instanceof NoSuchFileException) {
        return "no such file";
      }
      if (failure instanceof NotDirectoryException) {
        return "is not a directory";
      }
      if (failure instanceof FileAlreadyExistsException) {
        return "exists already";
      }
      if (failure instanceof AccessDeniedException) {
        return "permission denied";
      }
    }
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }

  /** Why there can be no file of a name. */
  public static String what(InvalidPathException wrong) {
    // The JDK's reason does not tell how to go on.
    return wrong.getInput().chars().anyMatch(each -> each > '~')
        ? "it has characters that this process's locale has not; set LC_ALL=C.UTF-8"
        : wrong.getReason();
  }
}
