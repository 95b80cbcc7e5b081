#pragma once

#include <array>
#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/field.hpp"

namespace kbsim::config {

/// A router of a cube's NOC: column and row, from 0, eastwards and southwards.
struct Spot {
  int x = 0;
  int y = 0;

  /// "3,4"; UsageError for anything else.
  [[nodiscard]] static Spot from_text(std::string_view text);
  [[nodiscard]] std::string to_text() const;
  friend constexpr auto operator<=>(const Spot&, const Spot&) = default;
};

/// Columns or rows from `first` to `last`.
struct Span {
  int first = 0;
  int last = 0;

  /// "1-4" or "6"; UsageError for anything else.
  [[nodiscard]] static Span from_text(std::string_view text);
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] constexpr int count() const { return last - first + 1; }
  friend constexpr auto operator<=>(const Span&, const Span&) = default;
};

/// The routers at these columns of these rows.
struct PlanGridSpec {
  std::vector<Span> x;
  std::vector<Span> y;

  [[nodiscard]] int count() const;

  static void describe(auto& f) {
    f.add("x", &PlanGridSpec::x, "columns, as [1-4, 6]");
    f.add("y", &PlanGridSpec::y, "rows");
  }
};

/// The routers that have PEs, by a grid or one by one; a router that stands there twice has twice as many.
struct PlanPesSpec {
  PlanGridSpec grid;
  std::vector<Spot> at;
  int per_router = 1;

  static void describe(auto& f) {
    f.section("grid", &PlanPesSpec::grid, "columns and rows whose crossings have PEs, numbered row by row");
    f.pairs("at", &PlanPesSpec::at, "routers of PEs, as [[x, y], ...], in the order of the PEs");
    f.add("per_router", &PlanPesSpec::per_router, between(1, 16), "PEs at each of these routers");
  }
};

/// A channel of memory, with a port at each of these routers. A message takes the port that is fewest hops
/// from its other end, the first of several.
struct PlanChannelSpec {
  std::vector<Spot> at;

  static void describe(auto& f) { f.pairs("at", &PlanChannelSpec::at, "routers of its ports"); }
};

/// Memory channels that all PEs of the cube share, reached over the NOC.
struct PlanHbmSpec {
  std::vector<PlanChannelSpec> channels;
  Bandwidth bandwidth = Bandwidth::gbs(64.0);
  Bytes channel{1_GiB};
  Bytes interleave{4096};

  static void describe(auto& f) {
    f.list(
        "channels", &PlanHbmSpec::channels, [](const PlanHbmSpec&) { return PlanChannelSpec{}; },
        "memory channels, in the order of the addresses");
    f.add("bw_gbs", &PlanHbmSpec::bandwidth, kPositive, "raw bandwidth of a channel, and of each port of it");
    f.add("channel_bytes", &PlanHbmSpec::channel, between(4_KiB, 128_GiB), "memory of a channel");
    f.add("interleave_bytes", &PlanHbmSpec::interleave, kNotNegative,
          "addresses change channels after so many bytes; 0: one channel's are before the next one's");
  }
};

/// The routers of a cube's ports to other cubes and to the IO chiplet (n, of the first row of cubes).
struct PlanPortsSpec {
  std::vector<Spot> e;
  std::vector<Spot> w;
  std::vector<Spot> n;
  std::vector<Spot> s;

  static void describe(auto& f) {
    f.pairs("e", &PlanPortsSpec::e, "router of the eastern port; of the middle row, the last, if not given");
    f.pairs("w", &PlanPortsSpec::w, "of the western port; of the middle row, the first");
    f.pairs("n", &PlanPortsSpec::n, "of the northern port; of the middle column, the first");
    f.pairs("s", &PlanPortsSpec::s, "of the southern port; of the middle column, the last");
  }
};

struct PlanPlaceSpec {
  std::vector<Spot> at;

  static void describe(auto& f) {
    f.pairs("at", &PlanPlaceSpec::at, "its router; the middle one if not given");
  }
};

/// The parts at each router of a cube, in place of `pe_layout`.
struct FloorPlanSpec {
  std::vector<std::string> map;
  PlanPesSpec pe;
  PlanHbmSpec hbm;
  PlanPortsSpec port;
  PlanPlaceSpec m_cpu;
  PlanPlaceSpec sram;

  /// Whether the file has one.
  [[nodiscard]] bool given() const;
  /// PEs of a cube.
  [[nodiscard]] int pes() const;
  /// Memory channels of a cube; 0: each PE has a slice of its own at the crossbar.
  [[nodiscard]] int channels() const;
  [[nodiscard]] bool has_channels() const { return channels() > 0; }

  static void describe(auto& f) {
    f.add("map", &FloorPlanSpec::map,
          "a text for each row of routers, a character each: P with a PE, H with a memory channel, . alone, "
          "# for a place without a router");
    f.section("pe", &FloorPlanSpec::pe, "where the PEs are, if the map doesn't say");
    f.section("hbm", &FloorPlanSpec::hbm, "memory channels; without one each PE has a slice of its own");
    f.written_if(&FloorPlanSpec::has_channels);
    f.section("port", &FloorPlanSpec::port, "where the ports to other cubes are");
    f.section("m_cpu", &FloorPlanSpec::m_cpu, "where the M_CPU is");
    f.section("sram", &FloorPlanSpec::sram, "where the SRAM is");
  }
};

struct CubeSpec;

/// The plan of a cube, each place by the number of its router, row by row. `pe_layout` is a shorthand of one.
struct FloorPlan {
  int w = 1;
  int h = 1;
  std::vector<bool> routers;  // whether there is one, row by row
  std::vector<int> pes;       // router of each PE
  std::vector<std::vector<int>>
      channels;                // ports of each memory channel; none: a slice a PE, at the crossbar
  std::array<int, 4> ports{};  // e, w, n, s
  int m_cpu = 0;
  int sram = 0;

  [[nodiscard]] bool has_holes() const;
};

/// The plan of a cube that has been checked.
[[nodiscard]] FloorPlan floor_plan(const CubeSpec& cube);

/// The section `floorplan` that means the same as the cube's own plan or `pe_layout`, as YAML.
[[nodiscard]] std::string floor_plan_yaml(const CubeSpec& cube);

}  // namespace kbsim::config
