package dev.varve.server.model;

/** One command of the model: changes its data and returns the encoded reply. */
interface ModelCommand {
  String run(Call call);
}
