// Limits that end an endless run: commands, time, events and memory.
#include <doctest/doctest.h>

#include "command.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::limits_test {

using namespace kbsim::test;

namespace {

std::string endless(const std::string& kernel) {
  return kMainJob +
         " --plugin " KBSIM_BINARY
         "/contract/plugins/plugin_endless.so --set ccl.algorithms.intercube_allreduce.kernel=" +
         kernel + " ";
}

void check_ends(const std::string& arguments, int exit, const std::vector<std::string>& says) {
  CAPTURE(arguments);
  const Outcome outcome = run_kbsim(arguments);
  CAPTURE(outcome.err.substr(0, 4000));
  CHECK(outcome.exit == exit);
  for (const std::string& part : says) CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("Limits: an endless loop on every PE ends at each, with kernel, PE, line and the busiest") {
  const std::vector<std::string> report{"endless_loads on sip0.cube0.pe0 waits for event load",
                                        "endless.cpp:10", "\nbusiest:\n", " looks"};
  const auto with = [&](std::string first) {
    std::vector<std::string> all = report;
    all.push_back(std::move(first));
    return all;
  };
  const std::string loads = endless("endless_loads");
  check_ends(loads + "--max-sim-time 20000", 4, with("stopped at 20000 ns, the limit that was set; "));
  check_ends(loads + "--stop-at 20000 --max-sim-time 1e9", 4, with("stopped at 20000 ns"));
  check_ends(loads + "--max-events 500000", 4, with("after 500000 events, the limit that was set; "));
  check_ends(loads + "--max-memory 64MiB", 4, with(" of memory, the limit is 64.0 MiB (--max-memory); "));
  check_ends(loads + "--set pe.pe_cpu.max_commands=50", 8,
             {"kernel endless_loads on sip", "endless.cpp:10", "the kernel has issued 50 commands"});
  check_ends(endless("endless_views"), 8,
             {"kernel endless_views on sip", "endless.cpp:16", "the kernel has issued 1000000 commands"});
}

TEST_CASE("Limits: a run that is known to need more memory than it may is refused before it begins") {
  const std::string ccl = "--topology topology.yaml --bench ccl --algorithm ring_broadcast ";
  check_ends(ccl + "-b 1G -e 1G --max-memory 256MiB", 2,
             {"needs about ", "the limit is 256 MiB (--max-memory)"});
  const std::string large =
      " --set cube.memory.hbm_bytes_per_pe=128GiB --set cube.pe_layout.pe_per_corner=1 "
      "--set 'cube.pe_layout.corners=[NW]' ";
  check_ends(ccl + large + "-b 120G -e 120G", 2, {"needs about ", "the largest of 120 GiB"});
  check_ends(kMainJob + large + "--set ccl.algorithms.intercube_allreduce.n_elem=60000000000", 2,
             {"ccl_allreduce of 60000000000 elements a part needs about "});
}

TEST_CASE("Limits: those that are none are refused") {
  check_ends(kMainJob + " --max-memory 1KiB", 2, {"--max-memory must be at least 1 MiB"});
  for (const char* command : {"probe --topology topology.yaml", "replay x.oplog",
                              "traffic --topology topology.yaml --scope link --load 0.5"})
    check_ends(std::string{command} + " --max-memory 1KiB", 2, {"--max-memory must be at least 1 MiB"});
  check_ends(kMainJob + " --max-memory much", 2, {"'much' is not a size"});
  check_ends(kMainJob + " --max-sim-time -1", 2, {"--max-sim-time must be a time from 0 on"});
  check_ends(kMainJob + " --max-sim-time 1e300", 2, {"beyond simulated time"});
}

TEST_CASE("Limits: what takes longer than simulated time lasts is refused") {
  check_ends(kMainJob + " --set pe.pe_math.freq_ghz=1e-300", 2,
             {"kernel intercube_allreduce on sip", "beyond simulated time"});
  check_ends(kMainJob + " --set pe.pe_cpu.freq_ghz=1e-9 --set pe.pe_cpu.dispatch_cycles=2000000000", 2,
             {"pe.pe_cpu: dispatch_cycles / freq_ghz is 2e+18 ns, expected at most a second"});
  check_ends("--topology topology.yaml --bench gemm_single_pe --set pe.pe_gemm.macs_per_ns=1e-300", 2,
             {"beyond simulated time"});
  check_ends("--topology topology.yaml --bench gemm_single_pe --set pe.pe_scheduler.tile_m=2147483647", 2,
             {"expected an integer from 1 to 65536"});
}

TEST_CASE("Limits: without values, memory is taken for what is in flight, not for what is sent" *
          doctest::skip(kbsim::test::kSanitized)) {
#if __has_feature(address_sanitizer)
  const std::string limit = "1GiB";  // it keeps what was freed
#else
  const std::string limit = "64MiB";
#endif
  const std::string ccl = "--topology topology.yaml --bench ccl --algorithm ring_broadcast --quiet -c 0 ";
  CHECK(run_kbsim(ccl + "-b 32M -e 32M --max-memory " + limit).exit == 0);
}

}  // namespace kbsim::contract::limits_test
