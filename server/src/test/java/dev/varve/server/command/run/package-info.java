@NullMarked
package dev.varve.server.command.run;

import org.jspecify.annotations.NullMarked;
