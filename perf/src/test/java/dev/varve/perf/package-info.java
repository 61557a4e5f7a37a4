/** Tests of the harness's command line. */
@NullMarked
package dev.varve.perf;

import org.jspecify.annotations.NullMarked;
