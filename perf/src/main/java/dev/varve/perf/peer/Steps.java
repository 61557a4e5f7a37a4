package dev.varve.perf.peer;

import io.vertx.redis.client.Request;
import java.util.List;
import java.util.SplittableRandom;

/** What a {@link GeneratedLoad} sends again and again. */
@FunctionalInterface
interface Steps {

  /** The requests of one step, sent together: it is over with the last of their replies. */
  List<Request> next(SplittableRandom random);
}
