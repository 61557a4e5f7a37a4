/** Tests. */
@NullMarked
package dev.varve.codec.geo;

import org.jspecify.annotations.NullMarked;
