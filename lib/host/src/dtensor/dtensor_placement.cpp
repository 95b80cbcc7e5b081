#include "kbsim/host/dtensor/dtensor_placement.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"

namespace kbsim::host::dtensor {
namespace {

namespace views = ranges::views;

bool shards(const Placement& placement, int dim) {
  const auto* shard = std::get_if<Shard>(&placement);
  return shard != nullptr && shard->dim == dim;
}

// A chunk that later axes cut further can neither be joined nor be cut.
bool is_cut_further(const Placements& placements, std::size_t axis, const Placement& placement) {
  const auto* shard = std::get_if<Shard>(&placement);
  if (shard == nullptr) return false;
  const auto inner = std::span{placements}.subspan(axis + 1);
  return std::ranges::any_of(inner, [&](const Placement& other) { return shards(other, shard->dim); });
}

bool is_collective(const Placement& from) { return !std::holds_alternative<Replicate>(from); }

/// Number of collectives, then elements that a rank sends, on average.
using Cost = std::pair<int, double>;

Cost cost_of(double elements, double ranks, const Placement& from, const Placement& to) {
  if (!is_collective(from)) return {0, 0.0};
  const bool all = std::holds_alternative<Replicate>(to);
  if (std::holds_alternative<Partial>(from)) return {1, elements * (ranks - 1) / ranks * (all ? 2 : 1)};
  return {1, elements * (ranks - 1) / (all ? 1 : ranks)};
}

/// Shortest path between placements.
class Search {
 public:
  Search(const Shape& shape, const std::vector<int>& mesh) : shape_{shape}, mesh_{mesh} {}

  std::vector<Change> run(const Placements& from, const Placements& to) {
    reach(from, {0, 0.0}, {});
    while (!open_.empty()) {
      const auto [cost, at] = *open_.begin();
      open_.erase(open_.begin());
      if (at == to) return reached_.at(at).changes;
      leave(at, cost, to);
    }
    throw InternalError{"no way between two placements"};
  }

 private:
  struct Reached {
    Cost cost;
    std::vector<Change> changes;
  };

  void reach(const Placements& at, const Cost& cost, std::vector<Change> changes) {
    const auto found = reached_.find(at);
    if (found != reached_.end() && found->second.cost <= cost) return;
    if (found != reached_.end()) open_.erase({found->second.cost, at});
    reached_[at] = {.cost = cost, .changes = std::move(changes)};
    open_.emplace(cost, at);
  }

  // Tries placements that the goal has on any axis, and Replicate. Other placements never help.
  void leave(const Placements& at, const Cost& cost, const Placements& to) {
    std::set<Placement> goals{to.begin(), to.end()};
    goals.insert(Replicate{});
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      for (const Placement& goal : goals) {
        if (goal == at[axis] || std::holds_alternative<Partial>(goal)) continue;
        if (is_cut_further(at, axis, at[axis]) || is_cut_further(at, axis, goal)) continue;
        Placements next = at;
        next[axis] = goal;
        const Cost more = cost_of(elements(at), mesh_[axis], at[axis], goal);
        std::vector<Change> changes = reached_.at(at).changes;
        changes.push_back({.axis = static_cast<int>(axis), .from = at[axis], .to = goal});
        reach(next, {cost.first + more.first, cost.second + more.second}, std::move(changes));
      }
    }
  }

  [[nodiscard]] double elements(const Placements& at) const {
    auto all = static_cast<double>(shape_.elements());
    for (const auto& [placement, ranks] : views::zip(at, mesh_)) {
      if (std::holds_alternative<Shard>(placement)) all /= ranks;
    }
    return all;
  }

  const Shape& shape_;
  const std::vector<int>& mesh_;
  std::map<Placements, Reached> reached_;
  std::set<std::pair<Cost, Placements>> open_;
};

}  // namespace

std::string to_string(const Placement& placement) {
  if (const auto* shard = std::get_if<Shard>(&placement)) return fmt::format("S({})", shard->dim);
  if (const auto* partial = std::get_if<Partial>(&placement))
    return fmt::format("P({})", kbsim::to_string(partial->op));
  return "R";
}

std::string to_string(const Placements& placements) {
  std::vector<std::string> all;
  for (const Placement& one : placements) all.push_back(to_string(one));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

Shape with_extent(const Shape& shape, int dim, std::int64_t extent) {
  std::vector<std::int64_t> extents{shape.extents().begin(), shape.extents().end()};
  extents[static_cast<std::size_t>(dim)] = extent;
  return Shape::of(extents);
}

IndexRange chunk_of(std::int64_t n, int count, int i) {
  const std::int64_t each = (n + count - 1) / count;
  return {std::min(i * each, n), std::min((i + 1) * each, n)};
}

Shape local_shape(const Shape& shape, const std::vector<int>& mesh, const std::vector<int>& coordinate,
                  const Placements& placements) {
  Shape local = shape;
  for (const auto& [placement, ranks, place] : views::zip(placements, mesh, coordinate)) {
    const auto* shard = std::get_if<Shard>(&placement);
    if (shard == nullptr) continue;
    const IndexRange chunk = chunk_of(local[shard->dim], ranks, place);
    local = with_extent(local, shard->dim, chunk.end - chunk.begin);
  }
  return local;
}

std::vector<Change> changes_between(const Shape& shape, const std::vector<int>& mesh, const Placements& from,
                                    const Placements& to) {
  for (const auto& [before, after] : views::zip(from, to)) {
    if (!std::holds_alternative<Partial>(after) || after == before) continue;
    throw UsageError{
        fmt::format("Can not redistribute from {} to {}, redistributing to Partial is for internal use only!",
                    to_string(before), to_string(after))};
  }
  return Search{shape, mesh}.run(from, to);
}

}  // namespace kbsim::host::dtensor
