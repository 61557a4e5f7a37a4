/** Tests of the formats: golden bytes, order, hostile input. */
@NullMarked
package dev.varve.codec.format;

import org.jspecify.annotations.NullMarked;
