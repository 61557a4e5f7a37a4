/** Tests of lists, beside a model in memory. */
@NullMarked
package dev.varve.codec.list;

import org.jspecify.annotations.NullMarked;
