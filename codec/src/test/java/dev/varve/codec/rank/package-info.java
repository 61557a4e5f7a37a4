/** Tests of the counted buckets. */
@NullMarked
package dev.varve.codec.rank;

import org.jspecify.annotations.NullMarked;
