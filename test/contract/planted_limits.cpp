// A limit that is planted into a machine drawn at random is the first advice.
#include <algorithm>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "sanitized.hpp"

namespace kbsim::contract::planted_limits_test {

using namespace kbsim::test;
namespace json = boost::json;

namespace {

constexpr int kDrawsOfEach = 10;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_{seed * 7919 + 1} {}
  int from(int first, int last) {
    return first + static_cast<int>(engine_() % static_cast<std::uint64_t>(last - first + 1));
  }
  template <class T>
  T of(std::initializer_list<T> all) {
    return *(all.begin() + from(0, static_cast<int>(all.size()) - 1));
  }

 private:
  std::mt19937_64 engine_;
};

// A run, and the advice that must come first.
struct Planted {
  std::string run;
  std::vector<std::string> settings = {};
  std::vector<std::string> keys = {};  // ends of the first advice's key
  int rank = -1;                       // else: the straggler's

  void set(const std::string& of, auto value) { settings.push_back(fmt::format("{}={}", of, value)); }

  [[nodiscard]] std::string words() const {
    return fmt::format("--topology topology.yaml {} --set {} --explain --json --quiet", run,
                       fmt::join(settings, " --set "));
  }
};

// Rates and latencies within a factor of four, so that nothing else is a limit. `alone`: the run's bench uses
// one package.
void draw_machine(Draw& draw, Planted& to, int least_packages, int least_cubes, bool alone = false) {
  if (!alone) {
    to.set("system.sips.count", draw.from(least_packages, 4));
    to.set("system.sips.link.bw_gbs", draw.of({64, 128, 256}));
  }
  to.set("sip.cube_mesh.w", draw.from(least_cubes, 4));
  to.set("sip.cube_mesh.h", draw.from(least_cubes, 4));
  to.set("cube.pe_layout.pe_per_corner", draw.from(1, 2));
  for (const char* key : {"cube.noc.router", "sip.ucie", "sip.io.router", "cube.xbar"})
    to.set(fmt::format("{}.overhead_ns", key), draw.of({0.25, 1.0, 4.0}));
  to.set("cube.hbm_ctrl.access_ns", draw.of({10, 30, 100}));
  for (const char* key :
       {"cube.noc.link_bw_gbs", "pe.link_bw_gbs", "sip.ucie_link.bw_gbs", "cube.xbar_to_hbm_bw_gbs"})
    to.set(key, draw.of({128, 256, 512}));
  to.set("pe.pe_dma.max_outstanding", draw.of({4, 8, 32}));
  to.set("pe.pe_math.startup_ns", draw.of({2, 4, 8}));
  to.set("pe.issue", draw.of({"queued", "blocking"}));
}

std::string collective(const std::string& algorithm, const std::string& size) {
  return fmt::format("--bench ccl --algorithm {} -c 0 -b {} -e {} --of row:1", algorithm, size, size);
}

std::string any_ring(Draw& draw) {
  return draw.of<std::string>({"ring_allreduce_tcm", "ring_allreduce_hbm", "ring_allreduce_sram",
                               "pipelined_ring_allreduce", "chunked_ring_allreduce",
                               "bidirectional_ring_allreduce"});
}

Planted slots(Draw& draw) {
  const std::string algorithm = "pipelined_ring_allreduce";
  Planted one{.run = collective(algorithm, draw.of<std::string>({"64K", "128K"})),
              .keys = {algorithm + ".n_slots"}};
  draw_machine(draw, one, 3, 1);
  one.set("system.sips.link.length_mm", draw.of({100, 1000, 5000}));
  one.set("ccl.algorithms." + algorithm + ".n_slots", draw.from(1, 2));
  return one;
}

// A hundredth of the rate; the efficiency is a factor of it.
Planted hbm(Draw& draw) {
  const bool copies = draw.from(0, 1) == 0;
  Planted one{.run = copies ? "--timing-only --bench va_offset_verify" : collective(any_ring(draw), "64K"),
              .keys = {"cube.xbar_to_hbm_bw_gbs", "cube.hbm_ctrl.efficiency"}};
  draw_machine(draw, one, copies ? 1 : 2, 1);
  one.set("cube.xbar_to_hbm_bw_gbs", draw.of({1.28, 2.56, 5.12}));
  return one;
}

Planted link(Draw& draw) {
  const std::string key =
      draw.of<std::string>({"system.sips.link.bw_gbs", "sip.ucie_link.bw_gbs", "cube.noc.link_bw_gbs"});
  const bool of_packages = key.starts_with("system");
  Planted one{.run = of_packages ? collective(any_ring(draw), draw.of<std::string>({"64K", "128K"}))
                                 : "--timing-only --bench ccl_allreduce --set "
                                   "ccl.algorithms.intercube_allreduce.n_elem=" +
                                       draw.of<std::string>({"2048", "8192"}),
              .keys = {key}};
  draw_machine(draw, one, 2, of_packages ? 1 : 2);
  one.set(key, draw.of({1.28, 2.56, 5.12}));
  return one;
}

Planted macs(Draw& draw) {
  Planted one{.run = fmt::format("--bench gemm --check 0 --of row:1 --m {} --n {} --k {} --on {}",
                                 draw.of({32, 64, 128}), draw.of({64, 96, 128}), draw.of({64, 100, 256}),
                                 draw.of({"pe", "cube"})),
              .keys = {"pe.pe_gemm.macs_per_ns"}};
  draw_machine(draw, one, 1, 1, true);
  one.set("pe.pe_gemm.macs_per_ns", 41);
  return one;
}

Planted dispatch(Draw& draw) {
  const bool of_commands = draw.from(0, 1) == 0;
  const std::string key = of_commands
                              ? "pe.pe_cpu.dispatch_cycles"
                              : draw.of<std::string>({"sip.io.io_cpu.overhead_ns", "cube.m_cpu.overhead_ns"});
  Planted one{.run = "--timing-only --bench ccl_allreduce --algorithm " +
                     draw.of<std::string>({"intercube_allreduce", "ring_allreduce_tcm", "tree_allreduce"}),
              .keys = {key}};
  draw_machine(draw, one, 2, 1);
  one.set(key, of_commands ? 800 : 2000);
  return one;
}

Planted straggler(Draw& draw) {
  const std::string algorithm = "ring_allreduce_tcm";
  Planted one{.run = "--bench ccl_allreduce --algorithm " + algorithm +
                     " --plugin " KBSIM_BINARY "/contract/plugins/plugin_straggles.so"};
  const int packages = draw.from(2, 4);
  draw_machine(draw, one, packages, 1);
  one.set("system.sips.count", packages);
  one.rank = draw.from(0, packages - 1);
  const std::string entry = "ccl.algorithms." + algorithm + ".";
  one.set(entry + "kernel", "straggles");
  one.set(entry + "n_elem", 64);
  one.set(entry + "slow_rank", one.rank);
  one.set(entry + "extra", draw.from(500, 2000));
  return one;
}

// The key of the first advice, or the id and the evidence of the finding before it.
std::string first_advice(const std::string& words) {
  const Outcome outcome = run_kbsim(words);
  if (outcome.exit != 0) return outcome.err;
  const json::object explained = json::parse(outcome.out).at("explain").as_object();
  const json::value* const tried = explained.if_contains("try");
  const std::int64_t best = tried == nullptr ? 0 : tried->at(0).at("gain_ps").to_number<std::int64_t>();
  const json::array& findings = explained.at("findings").as_array();
  if (!findings.empty() && findings[0].at("of_ranks").as_bool() &&
      findings[0].at("gain_ps").to_number<std::int64_t>() > best)
    return json::serialize(findings[0]);
  return tried == nullptr ? "none" : std::string{tried->at(0).at("key").as_string()};
}

bool fits(const Planted& planted, const std::string& advice) {
  if (planted.rank < 0)
    return std::ranges::any_of(planted.keys, [&](const std::string& key) { return advice.ends_with(key); });
  return advice.find(R"("id":"straggler")") != std::string::npos &&
         advice.find(fmt::format("rank {} computes", planted.rank)) != std::string::npos;
}

}  // namespace

TEST_CASE("Advice: a limit planted into a random machine is the first advice" * doctest::skip(kSanitized)) {
  using Plant = Planted (*)(Draw&);
  int kind = 0;
  for (const Plant plant : std::initializer_list<Plant>{slots, hbm, link, macs, dispatch, straggler}) {
    ++kind;
    for (int seed = 0; seed < kDrawsOfEach; ++seed) {
      Draw draw{static_cast<std::uint64_t>(100 * kind + seed)};
      const Planted planted = plant(draw);
      const std::string advice = first_advice(planted.words());
      CHECK_MESSAGE(fits(planted, advice), "kind ", kind, ", seed ", seed, ": ", advice, "\n  ",
                    planted.words());
    }
  }
}

// A machine from a pipe is read once, so no change is simulated. Tiles belong to composites, which these
// don't have; more slots hide latency, not a slow link.
TEST_CASE("Advice: estimates alone name a slow memory and a slow link, before tiles and slots") {
  struct Case {
    const char* run;
    std::string key;
    const char* value;
  };
  for (const auto& [run, key, value] :
       {Case{"--timing-only --bench va_offset_verify", "cube.xbar_to_hbm_bw_gbs", "2.56"},
        Case{"--bench ccl --algorithm ring_allreduce_hbm -c 0 -b 64K -e 64K --of row:1",
             "cube.xbar_to_hbm_bw_gbs", "2.56"},
        Case{"--bench ccl --algorithm pipelined_ring_allreduce -c 0 -b 256K -e 256K --of row:1"
             " --set ccl.algorithms.pipelined_ring_allreduce.n_slots=2",
             "system.sips.link.bw_gbs", "1"}}) {
    CAPTURE(run);
    const Outcome outcome = run_script(fmt::format("cat " KBSIM_SOURCE_DIR
                                                   "/configs/topology.yaml | $KBSIM --topology /dev/stdin {}"
                                                   " --explain --json --quiet --set {}={}",
                                                   run, key, value));
    REQUIRE_MESSAGE(outcome.exit == 0, outcome.err);
    const json::value first = json::parse(outcome.out).at("explain").at("try").at(0);
    CHECK(first.at("key").as_string() == key);
    CHECK(!first.at("simulated").as_bool());
  }
}

}  // namespace kbsim::contract::planted_limits_test
