/** Tests of the program as its users have it: a process that is started, spoken to, and killed. */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;
