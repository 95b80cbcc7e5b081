#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"

#include "config_checks.hpp"

namespace kbsim::config {
namespace {

constexpr int kMostPlannedPes = 1024;
constexpr Bytes kMostChannels = 128_GiB;  // the range of HBM in a physical address
constexpr std::string_view kParts = "PH.#";

// The checks of one plan, from the grid to the memory: later ones need a plan that passed the earlier ones.
class PlanChecks {
 public:
  PlanChecks(const MachineSpec& spec, Checker& checker)
      : spec_{spec}, cube_{spec.cube}, plan_{spec.cube.floorplan}, checker_{checker} {}

  void check() {
    check_links();
    if (!plan_.given()) return check_absent();
    require(!checker_.was_given("cube.pe_layout"), "cube.pe_layout",
            "stands beside a floorplan, expected one of them");
    check_map();
    check_spots();
    if (!good_) return;
    check_pes();
    check_single("port.e", plan_.port.e);
    check_single("port.w", plan_.port.w);
    check_single("port.n", plan_.port.n);
    check_single("port.s", plan_.port.s);
    check_single("m_cpu.at", plan_.m_cpu.at);
    check_single("sram.at", plan_.sram.at);
    if (good_) check_routers();
    check_memory();
  }

 private:
  void require(bool holds, const std::string& key, const std::string& text) {
    checker_.require(holds, {key}, text);
    good_ = good_ && holds;
  }
  static std::string key_of(std::string_view part) { return fmt::format("cube.floorplan.{}", part); }

  // One-way links lead everywhere only round rings.
  void check_links() {
    require(!cube_.noc.links.empty(), "cube.noc.links", "found an empty list, expected a network at least");
    require(cube_.noc.wrap ||
                std::ranges::all_of(cube_.noc.links, [](NocLinks links) { return links == NocLinks::both; }),
            "cube.noc.links",
            "one-way links reach all routers only round rings, expected wrap: true beside them");
    require(cube_.noc.networks() <= kMostNetworks, "cube.noc.links",
            fmt::format("found {} networks, expected at most {}", cube_.noc.networks(), kMostNetworks));
    if (cube_.noc.networks() > 0) check_use();
  }

  // Each kind's network exists, and each network carries something.
  void check_use() {
    const NocUseSpec& use = cube_.noc.use;
    const int networks = cube_.noc.networks();
    std::set<int> used;
    for (const auto& [kind, number] : {std::pair{"reads", use.reads},
                                       {"writes", use.writes},
                                       {"messages", use.messages},
                                       {"control", use.control}}) {
      const std::string key = fmt::format("cube.noc.use.{}", kind);
      const int taken = static_cast<int>(number);
      used.insert(taken);
      checker_.require(networks > 1 || !checker_.was_given(key), {key, "cube.noc.links"},
                       "has no effect: the cube has one network (cube.noc.links)");
      checker_.require(
          taken < networks || networks < 2, {key, "cube.noc.links"},
          fmt::format("noc{} doesn't exist: cube.noc.links has {}", taken, counted(networks, "network")));
      good_ = good_ && taken < networks;
    }
    for (int network = 0; network < networks && good_; ++network) {
      checker_.require(used.contains(network),
                       {"cube.noc.links", "cube.noc.use", "cube.noc.use.reads", "cube.noc.use.writes",
                        "cube.noc.use.messages", "cube.noc.use.control"},
                       fmt::format("no traffic takes noc{}; cube.noc.use says what takes which", network));
      good_ = good_ && used.contains(network);
    }
  }

  void check_absent() {
    for (const char* part : {"hbm", "port", "m_cpu", "sram", "pe"}) {
      checker_.require(
          !checker_.was_given(key_of(part)),
          {key_of(part), key_of("map"), key_of("pe.at"), key_of("pe.grid.x"), key_of("pe.grid.y")},
          "the plan has no PE: expected pe.at, pe.grid or a map with P");
    }
  }

  void check_map() {
    if (plan_.map.empty()) return;
    const std::string key = key_of("map");
    require(
        static_cast<int>(plan_.map.size()) == cube_.noc.h, key,
        fmt::format("it has {}, expected {} (cube.noc.h)", counted(plan_.map.size(), "row"), cube_.noc.h));
    for (const std::string& row : plan_.map) {
      require(static_cast<int>(row.size()) == cube_.noc.w, key,
              fmt::format("the row '{}' has {}, expected {} (cube.noc.w)", printable(row),
                          counted(row.size(), "place"), cube_.noc.w));
      const std::size_t other = row.find_first_not_of(kParts);
      require(other == std::string::npos, key,
              fmt::format("'{}' stands for nothing, expected P, H, . or #",
                          other == std::string::npos ? "" : printable(row.substr(other, 1))));
    }
  }

  void check_spot(const std::string& key, const Spot& at) {
    const bool inside = at.x >= 0 && at.x < cube_.noc.w && at.y >= 0 && at.y < cube_.noc.h;
    require(inside, key,
            fmt::format("there is no router at [{}, {}]: the NOC has {} x {}", at.x, at.y, cube_.noc.w,
                        cube_.noc.h));
    if (!inside || plan_.map.empty()) return;
    require(plan_.map[static_cast<std::size_t>(at.y)][static_cast<std::size_t>(at.x)] != '#', key,
            fmt::format("there is no router at [{}, {}]: the map has # there", at.x, at.y));
  }

  void check_spots() {
    if (!good_) return;
    for (const auto& [key, spans, size] : {std::tuple{"pe.grid.x", &plan_.pe.grid.x, cube_.noc.w},
                                           std::tuple{"pe.grid.y", &plan_.pe.grid.y, cube_.noc.h}}) {
      for (const Span& span : *spans)
        require(span.last < size, key_of(key),
                fmt::format("{} reaches beyond the last one, {}", span.to_text(), size - 1));
    }
    if (!good_) return;
    for (const Span& rows : plan_.pe.grid.y)
      for (int y = rows.first; y <= rows.last; ++y)
        for (const Span& columns : plan_.pe.grid.x)
          for (int x = columns.first; x <= columns.last; ++x) check_spot(key_of("pe.grid"), {x, y});
    for (const Spot& at : plan_.pe.at) check_spot(key_of("pe.at"), at);
    for (std::size_t i = 0; i < plan_.hbm.channels.size(); ++i) check_channel(i);
  }

  void check_channel(std::size_t number) {
    const std::string key = key_of(fmt::format("hbm.channels.{}.at", number));
    const std::vector<Spot>& ports = plan_.hbm.channels[number].at;
    require(!ports.empty(), key, "the channel has no port, expected the routers of its ports");
    for (std::size_t i = 0; i < ports.size(); ++i) {
      check_spot(key, ports[i]);
      const auto before = ports.begin() + static_cast<std::ptrdiff_t>(i);
      require(std::find(ports.begin(), before, ports[i]) == before, key,
              fmt::format("the port [{}, {}] is there twice", ports[i].x, ports[i].y));
    }
  }

  void check_pes() {
    const int forms =
        (std::ranges::any_of(plan_.map,
                             [](const std::string& row) { return row.find('P') != std::string::npos; })
             ? 1
             : 0) +
        (plan_.pe.at.empty() ? 0 : 1) + (plan_.pe.grid.x.empty() && plan_.pe.grid.y.empty() ? 0 : 1);
    require(forms <= 1, key_of("pe"), "PEs are given twice, expected one of pe.at, pe.grid and a map with P");
    require(plan_.pes() >= 1, key_of("pe"), "the plan has no PE: expected pe.at, pe.grid or a map with P");
    require(
        plan_.pes() <= kMostPlannedPes, key_of("pe"),
        fmt::format("it has {}, expected at most {} a cube", counted(plan_.pes(), "PE"), kMostPlannedPes));
    const bool twice =
        !plan_.hbm.channels.empty() && plan_.channels() > static_cast<int>(plan_.hbm.channels.size());
    require(!twice, key_of("hbm.channels"),
            "channels are given twice, expected them here or as H in the map");
  }

  void check_single(std::string_view part, const std::vector<Spot>& at) {
    if (at.empty()) return;
    require(at.size() == 1, key_of(part), fmt::format("found {} routers, expected one", at.size()));
    check_spot(key_of(part), at.front());
  }

  // Default places need routers, and all routers must reach one another.
  void check_routers() {
    const FloorPlan plan = floor_plan(cube_);
    const auto stands = [&](int router) { return plan.routers[static_cast<std::size_t>(router)]; };
    constexpr std::array<const char*, 4> kPorts{"port.e", "port.w", "port.n", "port.s"};
    const auto check = [&](const char* part, int router) {
      require(stands(router), key_of(part),
              fmt::format("the map has # at its usual place, [{}, {}]; expected another router",
                          router % plan.w, router / plan.w));
    };
    for (std::size_t side = 0; side < kPorts.size(); ++side) check(kPorts[side], plan.ports[side]);
    check("m_cpu", plan.m_cpu);
    check("sram", plan.sram);
    if (!plan.has_holes()) return;
    require(!cube_.one_way(), key_of("map"),
            "one-way rings need all of their routers, expected no # in the map");
    require(is_connected(plan), key_of("map"), "its routers fall apart: some can't reach others");
  }

  [[nodiscard]] bool is_connected(const FloorPlan& plan) const {
    std::vector<bool> seen(plan.routers.size(), false);
    std::queue<int> next;
    const auto visit = [&](int x, int y) {
      if (cube_.noc.wrap) {
        x = (x + plan.w) % plan.w;
        y = (y + plan.h) % plan.h;
      }
      if (x < 0 || x >= plan.w || y < 0 || y >= plan.h) return;
      const auto router = static_cast<std::size_t>(y * plan.w + x);
      if (!plan.routers[router] || seen[router]) return;
      seen[router] = true;
      next.push(static_cast<int>(router));
    };
    const auto first = std::ranges::find(plan.routers, true) - plan.routers.begin();
    visit(static_cast<int>(first) % plan.w, static_cast<int>(first) / plan.w);
    for (; !next.empty(); next.pop()) {
      const int x = next.front() % plan.w;
      const int y = next.front() / plan.w;
      for (const auto& [dx, dy] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}})
        visit(x + dx, y + dy);
    }
    return seen == plan.routers;
  }

  void check_memory() {
    if (!good_ || plan_.channels() == 0) {
      for (const char* key : {"hbm.bw_gbs", "hbm.channel_bytes", "hbm.interleave_bytes"})
        require(!good_ || !checker_.was_given(key_of(key)), key_of(key),
                "has no effect: the plan has no memory channels");
      return;
    }
    const PlanHbmSpec& hbm = plan_.hbm;
    for (const char* key : {"cube.xbar_to_hbm_bw_gbs", "cube.xbar"})
      require(!checker_.was_given(key), key,
              "has no effect: the PEs share the memory channels of the floorplan");
    const Bytes share = spec_.hbm_per_pe();
    require(!checker_.was_given("cube.memory.hbm_bytes_per_pe") || cube_.memory.hbm_per_pe == share,
            "cube.memory.hbm_bytes_per_pe",
            fmt::format("found {}, but a PE's share of the floorplan's channels is {}: leave it out",
                        to_string(cube_.memory.hbm_per_pe), to_string(share)));
    require(hbm.interleave == 0_B || hbm.channel.count() % hbm.interleave.count() == 0,
            key_of("hbm.interleave_bytes"),
            fmt::format("{} doesn't divide the {} of a channel", to_string(hbm.interleave),
                        to_string(hbm.channel)));
    require(hbm.channel <= Bytes{kMostChannels.count() / plan_.channels()}, key_of("hbm.channel_bytes"),
            fmt::format("found {} for each of {}, expected at most {} a cube", to_string(hbm.channel),
                        counted(plan_.channels(), "channel"), to_string(kMostChannels)));
    require(share > 0_B, key_of("hbm.channel_bytes"),
            fmt::format("too little for {}: a PE's share is less than a page of 4 KiB",
                        counted(spec_.pes_per_cube(), "PE")));
  }

  const MachineSpec& spec_;
  const CubeSpec& cube_;
  const FloorPlanSpec& plan_;
  Checker& checker_;
  bool good_ = true;
};

}  // namespace

void check_floor_plan(const MachineSpec& spec, Checker& checker) { PlanChecks{spec, checker}.check(); }

}  // namespace kbsim::config
