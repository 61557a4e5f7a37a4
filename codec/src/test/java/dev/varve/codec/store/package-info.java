/** The reference store of the tests, and the tests of the port. */
@NullMarked
package dev.varve.codec.store;

import org.jspecify.annotations.NullMarked;
