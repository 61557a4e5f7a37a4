/** Tests. */
@NullMarked
package dev.varve.codec.dump;

import org.jspecify.annotations.NullMarked;
