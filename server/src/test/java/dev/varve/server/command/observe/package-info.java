@NullMarked
package dev.varve.server.command.observe;

import org.jspecify.annotations.NullMarked;
