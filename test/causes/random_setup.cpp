#include "random_setup.hpp"

#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>

#include <fmt/format.h>

#include "sanitized.hpp"

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

using Set = std::function<void(const std::string&, const std::string&)>;

template <class T>
void choose(Draw& draw, const Set& set, const char* key, std::initializer_list<T> all) {
  set(key, fmt::format("{}", draw.of(all)));
}

// Row cycles are longer than they must be: a picosecond more of their parts is allowed.
void set_banks(Draw& draw, const Set& set) {
  set("cube.hbm_ctrl.impl", "builtin.hbm_banks");
  choose(draw, set, "cube.hbm_ctrl.trc_ns", {55.0, 60.5});
  choose(draw, set, "cube.hbm_ctrl.trcd_ns", {9.25, 14.0});
  choose(draw, set, "cube.hbm_ctrl.trcd_write_ns", {0.0, 10.0});
  choose(draw, set, "cube.hbm_ctrl.trp_ns", {8.5, 14.0});
  choose(draw, set, "cube.hbm_ctrl.tcl_ns", {3.0, 14.125});
  choose(draw, set, "cube.hbm_ctrl.tcwl_ns", {4.0, 5.5});
  choose(draw, set, "cube.hbm_ctrl.tccd_s_ns", {0.75, 1.0});
  choose(draw, set, "cube.hbm_ctrl.tccd_l_ns", {1.5, 2.25});
  choose(draw, set, "cube.hbm_ctrl.trtw_ns", {1.0, 12.0});
  choose(draw, set, "cube.hbm_ctrl.controller_ns", {0.5, 2.0});
  choose(draw, set, "cube.hbm_ctrl.pseudo_channels", {2, 8});
  choose(draw, set, "cube.hbm_ctrl.stack_ids", {1, 2});
  choose(draw, set, "cube.hbm_ctrl.tccd_r_ns", {0.5, 3.0});
  choose(draw, set, "cube.hbm_ctrl.row_bytes", {64, 1024});
  choose(draw, set, "cube.hbm_ctrl.trefi_ns", {0.0, 450.0, 1900.7, 3900.0});
  choose(draw, set, "cube.hbm_ctrl.trfc_ns", {60.0, 350.0});
}

void set_controller(Draw& draw, const Set& set) {
  set("cube.hbm_ctrl.scheduler", "fr_fcfs");
  choose(draw, set, "cube.hbm_ctrl.channel_pcs", {1, 2});
  choose(draw, set, "cube.hbm_ctrl.read_queue", {4, 32});
  if (draw.below(2) == 0) set("cube.hbm_ctrl.write_drain", "per_bank");
  choose(draw, set, "cube.hbm_ctrl.max_age_ns", {100.0, 10'000.0});
  choose(draw, set, "cube.hbm_ctrl.tppd_ns", {0.0, 1.5});
  choose(draw, set, "cube.hbm_ctrl.tck_ns", {0.0, 0.5, 0.625});
  if (draw.below(2) == 0) return;
  set("cube.hbm_ctrl.refresh", "per_bank");
  set("cube.hbm_ctrl.trefi_ns", "3900");
  choose(draw, set, "cube.hbm_ctrl.trfc_bank_ns", {60.0, 120.0});
  choose(draw, set, "cube.hbm_ctrl.trrefd_ns", {4.0, 8.25});
}

void set_router(Draw& draw, const Set& set, Model model) {
  choose(draw, set, "cube.noc.router.vcs", {8, 16});
  choose(draw, set, "cube.noc.router.arbiter", {"round_robin", "oldest_first"});
  if (model == Model::router_vc) {
    set("cube.noc.router.impl", "builtin.router_vc");
    return choose(draw, set, "cube.noc.router.buffer_bytes", {256, 700, 4096});
  }
  set("cube.noc.router.impl", "builtin.router_iq");
  choose(draw, set, "cube.noc.router.flit_bytes", {64, 256});
  choose(draw, set, "cube.noc.router.buffer_flits", {1, 2, 16});
  choose(draw, set, "cube.noc.router.packet_flits", {1, 4, 64});
  choose(draw, set, "cube.noc.router.allocator", {"islip", "separable"});
  choose(draw, set, "cube.noc.router.iterations", {1, 3});
  choose(draw, set, "cube.noc.router.credit_cycles", {0, 1, 3});
  choose(draw, set, "cube.noc.router.input_speedup", {1, 2});
  choose(draw, set, "cube.noc.router.voq", {"false", "true"});
}

}  // namespace

Setup random_setup(std::uint64_t seed, Model model) {
  Draw draw{seed * 7919 + static_cast<std::uint64_t>(model)};
  Setup setup = random_setup(seed);
  const Set set = [&](const std::string& key, const std::string& value) {
    setup.overrides.push_back(key + "=" + value);
  };
  if (model == Model::pseudo_channels) {
    choose(draw, set, "cube.hbm_ctrl.num_pcs", {2, 3, 8});
    choose(draw, set, "cube.hbm_ctrl.burst_bytes", {32, 256});
  } else if (model == Model::banks || model == Model::fr_fcfs) {
    std::erase_if(setup.overrides, [](const std::string& one) { return one.starts_with("cube.hbm_ctrl."); });
    set_banks(draw, set);
    if (model == Model::fr_fcfs) set_controller(draw, set);
  } else if (model == Model::polling) {
    setup.poll = from_ns(draw.of({0.5, 3.7, 10.0, 100.0}));
  } else {
    set_router(draw, set, model);
  }
  return setup;
}

std::uint64_t draws(std::uint64_t usual) {
  const char* asked = std::getenv("KBSIM_RANDOM_PATHS");
  if (asked != nullptr) return std::strtoull(asked, nullptr, 10);
  return kSanitized ? (usual + 1) / 2 : usual;
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
