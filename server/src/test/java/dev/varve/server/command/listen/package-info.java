@NullMarked
package dev.varve.server.command.listen;

import org.jspecify.annotations.NullMarked;
