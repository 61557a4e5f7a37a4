package dev.varve.server.lua.value;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a run has changed of the values that were there before it, so that they can be made what
 * they were: a function that is unwound, and runs again, finds what it found.
 *
 * <p>Runs are told apart by a number, their <em>span</em>. A value that can change knows the span
 * in which it was made, or in which its contents were kept here: who is about to change one of
 * another span keeps what is there first. What a run makes for itself so costs one comparison.
 *
 * <p>Used by the thread that has the interpreter.
 */
public final class UndoLog {
  /** One where nothing is kept. */
  static final UndoLog NONE = new UndoLog(Allocation.UNCOUNTED);

  /** About what it takes to keep what one place was. */
  private static final int PLACE_BYTES = 56;

  /** The list of more changes goes when the run has ended. */
  private static final int LIST_KEPT_MAX = 1024;

  /** What something was before it was changed. */
  public interface Change {

    /** Makes it what it was. */
    void undo();

    /** About the bytes that this takes, without the values it holds. */
    default long bytes() {
      return PLACE_BYTES;
    }

    /** Shows the values that it holds, which may be nowhere else any more. */
    default void held(Consumer<@Nullable Object> visitor) {}
  }

  private final Allocation allocation;
  private List<Change> changes = new ArrayList<>();
  private boolean isOn;

  /** Where tables look each time they are written to. */
  int span;

  /**
   * @param allocation who counts the memory that is taken here
   */
  public UndoLog(Allocation allocation) {
    this.allocation = allocation;
  }

  /** The number that what is made now belongs to. */
  public int span() {
    return span;
  }

  /** Whether a run is under way whose changes are kept. */
  public boolean isOn() {
    return isOn;
  }

  /** Whether changes of what was made in {@code itsSpan} have to be kept. */
  public boolean keeps(int itsSpan) {
    return itsSpan != span && isOn;
  }

  /** A run begins: from here on changes are kept. */
  public void begin() {
    forget();
    isOn = true;
  }

  /** What was made in this span so far is as old as what was there before it. */
  public void settle() {
    span++;
  }

  /**
   * Keeps what one place was that is about to be changed. Throws where there is no memory for that:
   * then it is not to be changed.
   */
  public void add(Change change) {
    allocation.charge(change.bytes());
    changes.add(change);
  }

  /** The same of more, which the caller has had counted before it was copied. */
  void addCounted(Change change) {
    changes.add(change);
  }

  /** How many changes are kept. */
  public int size() {
    return changes.size();
  }

  /** The changes of the run stay: nothing is kept until another begins. */
  public void forget() {
    if (changes.size() > LIST_KEPT_MAX) {
      changes = new ArrayList<>();
    }
    changes.clear();
    isOn = false;
    // What the run has made is old from here on.
    span++;
  }

  /** Makes all what it was when the run began. Nothing is kept until another begins. */
  public void undo() {
    for (int i = changes.size() - 1; i >= 0; i--) {
      changes.get(i).undo();
    }
    forget();
  }

  /** The changes that are kept now, for whoever measures memory. */
  public List<Change> changes() {
    return changes;
  }
}
