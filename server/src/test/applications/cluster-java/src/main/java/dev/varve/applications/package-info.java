/**
 * The cluster clients of the JVM, as applications use them. {@code .ci/applications} runs it beside redis-server and
 * beside Varve, with the port as its only argument; what it prints has to be the same.
 */
package dev.varve.applications;
