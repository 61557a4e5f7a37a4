package dev.varve.server.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.server.command.RedisOracle;
import dev.varve.server.net.RespServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INFO has the fields of redis-server, in its sections, wherever there is a true value for them.
 */
class InfoFieldsDifferentialTest {

  /** What is not there, since whatever it said would be wrong. */
  private static final String LEFT_OUT =
      """
      # of a program in C
      Server redis_build_id
      Server monotonic_clock
      Server atomicvar_api
      Server gcc_version
      Memory allocator_allocated
      Memory allocator_active
      Memory allocator_resident
      Memory allocator_frag_ratio
      Memory allocator_frag_bytes
      Memory allocator_rss_ratio
      Memory allocator_rss_bytes
      Memory rss_overhead_ratio
      Memory rss_overhead_bytes
      # the heap has garbage in it: nothing can be subtracted
      Memory used_memory_startup
      Memory used_memory_dataset_perc
      # scripts and functions have no memory of their own
      Memory used_memory_lua
      Memory used_memory_lua_human
      Memory used_memory_vm_eval
      Memory used_memory_vm_functions
      Memory used_memory_vm_total
      Memory used_memory_vm_total_human
      Memory used_memory_functions
      Memory used_memory_scripts
      Memory used_memory_scripts_human
      Memory used_memory_scripts_eval
      # would have to be looked at for each client, each request or each key
      Clients client_recent_max_input_buffer
      Clients client_recent_max_output_buffer
      Memory mem_clients_normal
      Stats io_threaded_reads_processed
      Stats io_threaded_writes_processed
      Stats total_eviction_exceeded_time
      Stats current_eviction_exceeded_time
      Stats reply_buffer_shrinks
      Stats reply_buffer_expands
      # done here, but otherwise
      Server lru_clock
      Persistence current_save_keys_processed
      Persistence current_save_keys_total
      Persistence aof_current_size
      Persistence aof_base_size
      Persistence aof_buffer_length
      Stats expired_stale_perc
      Stats expired_time_cap_reached_count
      Stats expire_cycle_cpu_milliseconds
      Stats dump_payload_sanitizations
      """;

  /** All but those that have a field for each command, error or database. */
  private static final String SECTIONS =
      "server clients memory persistence stats replication cpu cluster";

  @TempDir private Path path;

  @Test
  void allFieldsOfRedisAreThereButThoseThatWouldBeWrong() throws Exception {
    try (RedisOracle redis = RedisOracle.start(path, "--appendonly", "yes")) {
      RespServer varve =
          SurfaceDifferentialTest.varve(
              path.resolve("varve"), SurfaceDifferentialTest.IN_MEMORY_BYTES);
      try (WirePair pair = new WirePair(redis.port(), varve.port(), false)) {
        WirePair.Both both = pair.ask(List.of(List.of(("INFO " + SECTIONS).split(" "))));
        Set<String> missing = fields(both.redis());
        missing.removeAll(fields(both.varve()));
        Set<String> leftOut = new TreeSet<>();
        LEFT_OUT.lines().filter(line -> !line.startsWith("#")).forEach(leftOut::add);
        assertEquals(String.join("\n", leftOut), String.join("\n", missing));
      } finally {
        varve.stop();
      }
    }
  }

  /** The fields of a reply, each behind the name of its section. */
  private static Set<String> fields(WirePair.Said said) {
    Set<String> fields = new TreeSet<>();
    String section = "";
    for (String line : said.replies().get(0).lines().toList()) {
      int colon = line.indexOf(':');
      if (line.startsWith("# ")) {
        section = line.substring(2);
      } else if (colon > 0) {
        fields.add(section + ' ' + line.substring(0, colon));
      }
    }
    return fields;
  }
}
