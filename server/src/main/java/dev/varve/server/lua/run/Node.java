package dev.varve.server.lua.run;

/** A piece of the executed tree, with the line that its errors are reported with. */
abstract class Node {
  final int line;

  Node(int line) {
    this.line = line;
  }
}
