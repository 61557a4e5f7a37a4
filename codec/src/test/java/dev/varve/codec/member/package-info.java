/** Tests of hashes and sets. */
@NullMarked
package dev.varve.codec.member;

import org.jspecify.annotations.NullMarked;
