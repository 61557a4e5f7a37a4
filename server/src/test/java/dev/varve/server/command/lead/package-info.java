/** Tests of what replicas are told. */
@NullMarked
package dev.varve.server.command.lead;

import org.jspecify.annotations.NullMarked;
