/** Tests of sorted sets, beside a model in memory. */
@NullMarked
package dev.varve.codec.zset;

import org.jspecify.annotations.NullMarked;
