#include "random_setup.hpp"

#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>

#include <fmt/format.h>

namespace kbsim::test::causes {
namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_{seed} {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  template <class T>
  T of(std::initializer_list<T> all) {
    return *(all.begin() + below(static_cast<int>(all.size())));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::uint64_t draws(std::uint64_t usual) {
  const char* asked = std::getenv("KBSIM_RANDOM_PATHS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usual;
}

Setup random_setup(std::uint64_t seed) {
  Draw draw{seed};
  Setup setup;
  const auto set = [&](const char* key, auto value) {
    setup.overrides.push_back(fmt::format("{}={}", key, value));
  };
  set("system.sips.count", 2 + draw.below(2));
  set("sip.cube_mesh.w", 1 + draw.below(3));
  set("sip.cube_mesh.h", 1 + draw.below(3));
  set("cube.noc.w", 2 + draw.below(3));
  for (const char* key : {"sip.ucie", "cube.noc.router", "cube.xbar", "sip.io.io_cpu", "cube.m_cpu",
                          "pe.pe_ipcq", "pe.pe_mmu", "sip.io.router"})
    set((std::string{key} + ".overhead_ns").c_str(), draw.of({0.5, 1.0, 2.0, 3.7, 8.0, 11.003}));
  for (const char* key : {"cube.hbm_ctrl", "pe.pe_tcm"})
    set((std::string{key} + ".access_ns").c_str(), draw.of({0.125, 1.0, 3.7, 30.0}));
  for (const char* key :
       {"cube.noc.link_bw_gbs", "pe.link_bw_gbs", "sip.ucie_link.bw_gbs", "sip.io.link.bw_gbs",
        "system.sips.link.bw_gbs", "cube.xbar_to_hbm_bw_gbs", "pe.pe_tcm.read_bw_gbs"})
    set(key, draw.of({32.0, 77.7, 128.0, 204.8, 256.0, 333.0}));
  set("pe.pe_dma.max_outstanding", draw.of({1, 2, 16}));
  set("pe.issue", draw.of({"queued", "blocking"}));
  setup.slots = 1 + draw.below(4);
  setup.elements = draw.of({1, 32, 333, 2000});
  if (draw.below(2) == 0) return setup;
  setup.over_cubes = false;
  setup.algorithm =
      draw.of({"ring_allreduce_tcm", "ring_allreduce_hbm", "ring_allreduce_sram", "pipelined_ring_allreduce",
               "chunked_ring_allreduce", "bidirectional_ring_allreduce"});
  setup.direct_credit = draw.below(3) == 0;
  return setup;
}

}  // namespace kbsim::test::causes
