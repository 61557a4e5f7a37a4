/**
 * Places on the earth as numbers of 52 bits, the distances between them, and which of the numbers a
 * search has to look at.
 *
 * <p>Words: a <em>cell</em> is what places with the same first bits share: a step of n halves
 * longitude and latitude n times each. A cell's places are one range of numbers, so that a sorted
 * set finds them.
 *
 * <p>Thread rule: everything is pure or immutable.
 *
 * <p>Imports nothing.
 */
@NullMarked
package dev.varve.codec.geo;

import org.jspecify.annotations.NullMarked;
