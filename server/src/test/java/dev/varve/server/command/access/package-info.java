/** Tests of users and what they may do. */
@NullMarked
package dev.varve.server.command.access;

import org.jspecify.annotations.NullMarked;
