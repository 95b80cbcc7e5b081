#include "kbsim/config/floor_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::config {
namespace {

constexpr int kLargestNumber = 99'999;          // beyond any grid and any number of PEs
constexpr std::int64_t kMostCounted = 1 << 20;  // beyond the limits that checks have

std::optional<int> number_in(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole =
      error == std::errc{} && stop == text.data() + text.size() && value >= 0 && value <= kLargestNumber;
  return whole ? std::optional{value} : std::nullopt;
}

struct Halves {
  std::optional<int> first;
  std::optional<int> second;
};

Halves halves(std::string_view text, char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return {.first = number_in(text), .second = {}};
  return {.first = number_in(text.substr(0, at)), .second = number_in(text.substr(at + 1))};
}

std::int64_t sum_of(const std::vector<Span>& spans) {
  std::int64_t sum = 0;
  for (const Span& span : spans) sum += span.count();
  return sum;
}

int count_in(const std::vector<std::string>& map, char part) {
  int sum = 0;
  for (const std::string& row : map) sum += static_cast<int>(std::ranges::count(row, part));
  return sum;
}

// Numbers the routers of a cube's plan.
class Planner {
 public:
  explicit Planner(const CubeSpec& cube) : cube_{cube}, plan_{.w = cube.noc.w, .h = cube.noc.h} {}

  FloorPlan plan() {
    plan_.routers.assign(static_cast<std::size_t>(plan_.w * plan_.h), true);
    const int middle_row = plan_.h / 2;
    const int middle_column = plan_.w / 2;
    plan_.ports = {number({plan_.w - 1, middle_row}), number({0, middle_row}), number({middle_column, 0}),
                   number({middle_column, plan_.h - 1})};
    plan_.m_cpu = plan_.sram = number({middle_column, middle_row});
    if (cube_.floorplan.given())
      take_plan();
    else
      take_layout();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] int number(const Spot& at) const { return at.y * plan_.w + at.x; }

  // The PEs of a corner are side by side along their half of its row; if there are more PEs than routers,
  // they share these evenly.
  void take_layout() {
    const PeLayoutSpec& layout = cube_.pe_layout;
    const int half = (plan_.w + 1) / 2;
    for (const Corner corner : layout.corners) {
      const int row = is_north(corner) ? 0 : plan_.h - 1;
      for (int pe = 0; pe < layout.pe_per_corner; ++pe) {
        const int step = pe % half;
        plan_.pes.push_back(number({is_west(corner) ? step : plan_.w - 1 - step, row}));
      }
    }
  }

  void take_plan() {
    const FloorPlanSpec& spec = cube_.floorplan;
    take_map(spec.map);
    for (const Span& rows : spec.pe.grid.y)
      for (int y = rows.first; y <= rows.last; ++y)
        for (const Span& columns : spec.pe.grid.x)
          for (int x = columns.first; x <= columns.last; ++x) add_pes({x, y});
    for (const Spot& at : spec.pe.at) add_pes(at);
    for (const PlanChannelSpec& channel : spec.hbm.channels) {
      std::vector<int>& ports = plan_.channels.emplace_back();
      for (const Spot& at : channel.at) ports.push_back(number(at));
    }
    place(spec.port.e, plan_.ports[0]);
    place(spec.port.w, plan_.ports[1]);
    place(spec.port.n, plan_.ports[2]);
    place(spec.port.s, plan_.ports[3]);
    place(spec.m_cpu.at, plan_.m_cpu);
    place(spec.sram.at, plan_.sram);
  }

  void take_map(const std::vector<std::string>& map) {
    for (int y = 0; y < static_cast<int>(map.size()); ++y) {
      const std::string& row = map[static_cast<std::size_t>(y)];
      for (int x = 0; x < static_cast<int>(row.size()); ++x) {
        const char part = row[static_cast<std::size_t>(x)];
        if (part == 'P') add_pes({x, y});
        if (part == 'H') plan_.channels.push_back({number({x, y})});
        if (part == '#') plan_.routers[static_cast<std::size_t>(number({x, y}))] = false;
      }
    }
  }

  void add_pes(const Spot& at) {
    plan_.pes.insert(plan_.pes.end(), static_cast<std::size_t>(cube_.floorplan.pe.per_router), number(at));
  }
  void place(const std::vector<Spot>& given, int& at) const {
    if (!given.empty()) at = number(given.front());
  }

  const CubeSpec& cube_;
  FloorPlan plan_;
};

std::string pair(const FloorPlan& plan, int router) {
  return fmt::format("[{}, {}]", router % plan.w, router / plan.w);
}

std::string pairs(const FloorPlan& plan, const std::vector<int>& routers) {
  std::vector<std::string> all;
  for (const int router : routers) all.push_back(pair(plan, router));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

// Only where there are routers; the parts are listed.
std::string map_of(const FloorPlan& plan) {
  std::string text = "  map:\n";
  for (int y = 0; y < plan.h; ++y) {
    std::string row;
    for (int x = 0; x < plan.w; ++x)
      row += plan.routers[static_cast<std::size_t>(y * plan.w + x)] ? '.' : '#';
    text += fmt::format("    - \"{}\"\n", row);
  }
  return text;
}

}  // namespace

Spot Spot::from_text(std::string_view text) {
  const auto [x, y] = halves(text, ',');
  if (!x || !y) throw UsageError{fmt::format("'{}' is no router, expected x,y", text)};
  return {.x = *x, .y = *y};
}

std::string Spot::to_text() const { return fmt::format("{},{}", x, y); }

Span Span::from_text(std::string_view text) {
  const bool single = text.find('-') == std::string_view::npos;
  const auto [first, last] = halves(text, '-');
  if (!first || (!single && (!last || *last < *first)))
    throw UsageError{fmt::format("'{}' is neither a number nor a range like 1-4", text)};
  return {.first = *first, .last = single ? *first : *last};
}

std::string Span::to_text() const {
  return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

int PlanGridSpec::count() const { return static_cast<int>(std::min(sum_of(x) * sum_of(y), kMostCounted)); }

bool FloorPlanSpec::given() const { return !map.empty() || !pe.at.empty() || pe.grid.count() > 0; }

int FloorPlanSpec::pes() const {
  return (count_in(map, 'P') + static_cast<int>(pe.at.size()) + pe.grid.count()) * pe.per_router;
}

int FloorPlanSpec::channels() const { return count_in(map, 'H') + static_cast<int>(hbm.channels.size()); }

bool FloorPlan::has_holes() const { return std::ranges::find(routers, false) != routers.end(); }

FloorPlan floor_plan(const CubeSpec& cube) { return Planner{cube}.plan(); }

std::string floor_plan_yaml(const CubeSpec& cube) {
  const FloorPlan plan = floor_plan(cube);
  const FloorPlanSpec& spec = cube.floorplan;
  std::string text = "floorplan:\n";
  if (plan.has_holes()) text += map_of(plan);
  text += fmt::format("  pe: {{at: {}}}\n", pairs(plan, plan.pes));
  if (!plan.channels.empty()) {
    std::vector<std::string> channels;
    for (const std::vector<int>& ports : plan.channels)
      channels.push_back(fmt::format("{{at: {}}}", pairs(plan, ports)));
    text += fmt::format("  hbm:\n    channels: [{}]\n    bw_gbs: {}\n    channel_bytes: {}\n",
                        fmt::join(channels, ", "), spec.hbm.bandwidth.gbs(), to_string(spec.hbm.channel));
    text += fmt::format("    interleave_bytes: {}\n", to_string(spec.hbm.interleave));
  }
  text += fmt::format("  port: {{e: {}, w: {}, n: {}, s: {}}}\n", pair(plan, plan.ports[0]),
                      pair(plan, plan.ports[1]), pair(plan, plan.ports[2]), pair(plan, plan.ports[3]));
  if (!spec.m_cpu.at.empty()) text += fmt::format("  m_cpu: {{at: {}}}\n", pair(plan, plan.m_cpu));
  if (!spec.sram.at.empty()) text += fmt::format("  sram: {{at: {}}}\n", pair(plan, plan.sram));
  return text;
}

Bytes MachineSpec::hbm_per_pe() const {
  if (!shares_hbm()) return cube.memory.hbm_per_pe;
  constexpr std::int64_t kPage = 4096;
  const std::int64_t all = cube.floorplan.hbm.channel.count() * cube.floorplan.channels();
  return Bytes{all / pes_per_cube() / kPage * kPage};
}

}  // namespace kbsim::config
