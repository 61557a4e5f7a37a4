/**
 * Lists: elements at positions in the middle of the number line, so that both ends grow.
 *
 * <p>{@link dev.varve.codec.list.Lists} has the operations; {@link dev.varve.codec.list.ListTable}
 * is what they work on, packed into the meta value or spread over entries of their own. What is
 * removed from the midst of a spread list leaves a gap ({@link dev.varve.codec.ListGaps}), and what
 * is inserted takes the nearest ({@link dev.varve.codec.list.ListShifts}).
 *
 * <p>Words: a <em>position</em> is the number that an element is filed under; <em>head</em> and
 * <em>tail</em> are the positions of the first element and behind the last. A <em>gap</em> is a
 * position between them without an element, a <em>run</em> some gaps side by side. What was popped
 * stays beyond the ends: from <em>low</em> on and up to <em>high</em> no garbage record names it
 * yet. The format is in docs/formats/lists.md.
 *
 * <p>Thread rule: all belongs to the thread of the transaction.
 *
 * <p>Imports {@code dev.varve.codec}, {@code member} for the cursors over elements, {@code store},
 * {@code format}.
 */
@NullMarked
package dev.varve.codec.list;

import org.jspecify.annotations.NullMarked;
