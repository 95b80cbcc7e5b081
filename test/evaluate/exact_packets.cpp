// Packets that are reserved ahead change no time of any collective.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>

#include "kbsim/ccl/ranks.hpp"
#include "kbsim/config/load.hpp"
#include "kbsim/evaluate/ccl_point.hpp"

#include "sanitized.hpp"
#include "support.hpp"

namespace kbsim::evaluate::test::exact_packets_test {
namespace {

const config::CclSpec& algorithms() {
  static const config::CclSpec all =
      config::load_ccl(std::filesystem::path{KBSIM_SOURCE_DIR} / "configs" / "ccl.yaml");
  return all;
}

// Each algorithm of the file can run on one of them. The last is for ranks that are PEs.
std::vector<config::MachineSpec> machines() {
  config::MachineSpec ring = machine(3);
  config::MachineSpec torus = machine(4);
  torus.system.sips.topology = config::SipTopology::torus_2d;
  config::MachineSpec tree = machine(7);
  tree.system.sips.topology = config::SipTopology::tree_binary;
  config::MachineSpec pes = machine(1);
  pes.cube.pe_layout.pe_per_corner = 4;
  return {ring, torus, tree, pes};
}

bool fits(const config::AlgorithmSpec& algorithm, const config::MachineSpec& spec) {
  using enum config::SipTopology;
  if (ccl::ranks_are_pes(algorithm)) return algorithm.world_size <= spec.pes_per_cube();
  if (spec.system.sips.count == 1) return false;
  const config::SipTopology joined = spec.system.sips.topology;
  if (algorithm.topology.starts_with("tree")) return joined == tree_binary;
  if (algorithm.topology == "torus_2d" || algorithm.topology == "mesh_2d") return joined == torus_2d;
  return joined != tree_binary;
}

struct Row {
  std::string numbers;  // all of the row but its events
  std::int64_t events = 0;
};

Row row_of(CclPoint point, bool exact) {
  point.question.exact_packets = exact;
  boost::json::object row = simulate(point);
  Row found{.events = row.at("events").to_number<std::int64_t>()};
  row.erase("events");
  found.numbers = boost::json::serialize(row);
  return found;
}

// Number of machines on which it ran.
int check(const config::AlgorithmSpec& algorithm) {
  int ran = 0;
  for (const config::MachineSpec& spec : machines()) {
    if (!fits(algorithm, spec)) continue;
    ++ran;
    for (const Bytes size : {64_B, 3_KiB, 20_KiB}) {
      CAPTURE(spec.system.sips.count);
      CAPTURE(size.count());
      const CclPoint point{.machine = spec, .algorithm = algorithm, .size = size};
      const Row ahead = row_of(point, false);
      const Row exact = row_of(point, true);
      CHECK(ahead.numbers == exact.numbers);
      CHECK(ahead.events < exact.events);
    }
  }
  return ran;
}

}  // namespace

TEST_CASE("Packets reserved ahead: every collective of ccl.yaml has the rows of packets one by one") {
  kbsim::test::Sample sample{3};
  for (const auto& [name, declared] : algorithms().algorithms) {
    if (sample.skips()) continue;
    CAPTURE(name);
    CHECK(check(declared) > 0);
  }
}

TEST_CASE(
    "Packets reserved ahead: so it is with slots in each memory, credits beside the links and one slot") {
  for (const char* name : {"ring_all_gather", "ring_reduce_scatter", "ring_broadcast", "ring_all_to_all"}) {
    CAPTURE(name);
    config::AlgorithmSpec algorithm = algorithms().resolve(name);
    for (const config::BufferKind kind : {config::BufferKind::hbm, config::BufferKind::sram}) {
      algorithm.buffer_kind = kind;
      (void)check(algorithm);
    }
    algorithm.credit = config::CreditPath::direct;
    algorithm.n_slots = 1;
    (void)check(algorithm);
  }
}

}  // namespace kbsim::evaluate::test::exact_packets_test
