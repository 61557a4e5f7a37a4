/** Tests of the commands on data, most of them beside a redis-server. */
@NullMarked
package dev.varve.server.command.data;

import org.jspecify.annotations.NullMarked;
