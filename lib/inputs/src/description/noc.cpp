// Description of a recorded NOC trace, of any chip, since the file doesn't name it.
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/inputs/description/description.hpp"
#include "kbsim/inputs/description/file_kind.hpp"
#include "kbsim/inputs/noc/noc_trace.hpp"

namespace kbsim::inputs {
namespace {

using topology::NocEvent;
using topology::NocOp;

constexpr NocExtent kAnyChip{.w = 1 << 12, .h = 1 << 12, .layers = 8};
constexpr std::array<std::string_view, 4> kTransfers{"reads", "writes", "multicasts", "semaphores"};

struct NocCounts {
  std::array<std::uint64_t, kTransfers.size()> transfers = {};
  std::uint64_t barriers = 0;
  std::int64_t bytes = 0;
  std::int64_t last_cycle = 0;  // from the first one
  std::set<std::pair<int, int>> cores;
  std::set<std::pair<int, int>> places;  // cores and the nodes they address
  std::set<int> layers;
};

void count(const NocEvent& event, NocCounts& counts) {
  counts.last_cycle = std::max(counts.last_cycle, event.cycle);
  counts.cores.emplace(event.from.x, event.from.y);
  counts.places.emplace(event.from.x, event.from.y);
  counts.layers.insert(event.layer);
  if (event.op == NocOp::barrier_begin) return;
  if (event.op == NocOp::barrier_end) {
    ++counts.barriers;
    return;
  }
  ++counts.transfers[static_cast<std::size_t>(event.op)];
  counts.bytes += event.size.count();
  counts.places.emplace(event.to.x, event.to.y);
  counts.places.emplace(event.last.x, event.last.y);
}

// The extent of the nodes, from (0, 0) on.
std::string extent_text(const NocCounts& counts) {
  int w = 0;
  int h = 0;
  for (const auto& [x, y] : counts.places) {
    w = std::max(w, x + 1);
    h = std::max(h, y + 1);
  }
  return fmt::format("{} x {}", w, h);
}

}  // namespace

boost::json::object describe_noc_trace(const std::filesystem::path& file) {
  const NocTrace trace = NocTrace::open(file, kAnyChip);
  NocCounts counts;
  for (const NocSection& section : trace.sections) {
    NocCursor cursor{trace, section, kAnyChip};
    while (const auto event = cursor.next()) count(*event, counts);
  }
  boost::json::object left_out;
  for (const auto& [type, number] : trace.left_out) left_out[type] = number;
  boost::json::object all{{"format", name_of(FileKind::noc_trace)},
                          {"events", trace.events},
                          {"zones", trace.zones},
                          {"left_out", std::move(left_out)},
                          {"processors", trace.sections.size()},
                          {"cores", counts.cores.size()},
                          {"places", counts.places.size()},
                          {"extent", extent_text(counts)},
                          {"networks", counts.layers.size()}};
  for (std::size_t i = 0; i < kTransfers.size(); ++i) all[kTransfers[i]] = counts.transfers[i];
  all["bytes"] = counts.bytes;
  all["barriers"] = counts.barriers;
  all["cycles"] = counts.last_cycle;
  return all;
}

}  // namespace kbsim::inputs
