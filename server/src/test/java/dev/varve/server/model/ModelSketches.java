package dev.varve.server.model;

import java.util.Map;

/** The commands of HyperLogLogs, for keys that hold nothing else. */
final class ModelSketches {
  private ModelSketches() {}

  static void register(Map<String, ModelCommand> commands) {
    commands.put("PFADD", ModelSketches::add);
    commands.put("PFCOUNT", ModelSketches::count);
    commands.put("PFMERGE", ModelSketches::merge);
  }

  private static String add(Call call) {
    boolean isNew = call.entry(call.arg(1)) == null;
    ModelSketch sketch = call.valueOrNew(call.arg(1), ModelSketch.class, ModelSketch::new);
    long changes = call.from(2).stream().filter(sketch::add).count();
    if (isNew || changes > 0) {
      call.changed(call.arg(1));
    }
    return Wire.flag(isNew || changes > 0);
  }

  private static ModelSketch union(Call call, int from) {
    ModelSketch union = new ModelSketch();
    for (String key : call.from(from)) {
      ModelSketch one = call.value(key, ModelSketch.class);
      if (one != null) {
        union.merge(one);
      }
    }
    return union;
  }

  private static String count(Call call) {
    return Wire.integer(union(call, 1).count());
  }

  private static String merge(Call call) {
    ModelSketch union = union(call, 1);
    call.valueOrNew(call.arg(1), ModelSketch.class, ModelSketch::new).merge(union);
    call.changed(call.arg(1));
    return Wire.OK;
  }
}
