/**
 * The counted buckets of a sorted set: how its index is cut into runs of some hundreds of members,
 * whose counts tell a rank without a walk, and how a transaction notes what it changes in them.
 *
 * <p>Words: a <em>bucket</em> is one such run, and what is stored of it: where it begins and how
 * many members it has. Buckets stand in <em>levels</em>, like the pages of a counted B-tree: one of
 * a level counts what some of the level below it hold. The <em>edges</em> are two bounds in the
 * meta: no member is before the front, none at the back or behind it. They may be wider than the
 * set is, and are there so that no walk passes the tombstones that pops have left at an end. The
 * format is in docs/formats/sorted-sets.md.
 *
 * <p>Knows neither metas nor transactions: the readers and writers in {@code zset} bring the two
 * together.
 *
 * <p>Thread rule: the formats are pure functions; instances belong to one thread.
 *
 * <p>Imports {@code store}, {@code format}.
 */
@NullMarked
package dev.varve.codec.rank;

import org.jspecify.annotations.NullMarked;
