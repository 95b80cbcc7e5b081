#include "kbsim/topology/summary.hpp"

#include <doctest/doctest.h>

#include "random_machine.hpp"

using namespace kbsim;
using namespace kbsim::topology;
using kbsim::test::any_machine;
using kbsim::test::compiled;

namespace {

Figures figures(const Graph& graph) {
  return {.overhead = std::vector<Time>(graph.nodes().size(), 1_ns),
          .hbm_efficiency = 0.8,
          .macs_per_ns = 4096.0};
}

}  // namespace

TEST_CASE("summarize: the default machine") {
  const Graph graph = compiled({});
  const Summary s = summarize(graph, figures(graph));
  CHECK(s.packages == 2);
  CHECK(s.cubes == 32);
  CHECK(s.pes == 256);
  CHECK(s.hbm == 32 * 48_GiB);
  CHECK(s.sram == 32 * 32_MiB);
  CHECK(s.tcm == 256 * 16_MiB);
  CHECK(s.hbm_raw_gbs == 256 * 256.0);
  CHECK(s.hbm_effective_gbs == 256 * 204.8);
  CHECK(s.macs_per_ns == 256 * 4096.0);
  CHECK(s.tflops() == doctest::Approx(2097.152));
}

TEST_CASE("summarize: totals are the parts' times their number, on every machine") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const config::MachineSpec spec = any_machine(seed);
    const Graph graph = compiled(spec);
    const Summary s = summarize(graph, figures(graph));
    CHECK(s.cubes == s.packages * spec.cubes_per_sip());
    CHECK(s.pes == s.cubes * spec.pes_per_cube());
    CHECK(s.hbm == spec.cube.memory.hbm_per_pe * s.pes);
    CHECK(s.macs_per_ns == s.pes * 4096.0);
    CHECK(s.nodes == static_cast<int>(graph.nodes().size()));
    CHECK(s.links == static_cast<int>(graph.links().size()));
  }
}

TEST_CASE("summarize: what a model doesn't say stays unsaid") {
  const Graph graph = compiled({});
  const Summary s = summarize(graph, {.overhead = std::vector<Time>(graph.nodes().size())});
  CHECK_FALSE(s.hbm_effective_gbs);
  CHECK_FALSE(s.macs_per_ns);
  CHECK_FALSE(s.tflops());
}
