// Slopes, ranges and slacks from all causes of a path.
#include <algorithm>
#include <cmath>

#include "kbsim/explain/cause_graph.hpp"

namespace kbsim::explain {
namespace {

// A key that isn't on the path matters where a value within reach brings it there.
bool matters(const Sides& sides) {
  return sides.less_ns != 0.0 || sides.more_ns != 0.0 || sides.from.has_value() || sides.to.has_value();
}

const Derivative* on_path(const Explanation& what, const std::string& key) {
  const auto found = std::ranges::find(what.keys, key, &Derivative::key);
  return found != what.keys.end() ? &*found : nullptr;
}

// A limit of operations, since each needs a pass over all moments.
std::size_t ops_of(const CauseGraph& graph) {
  constexpr std::size_t kLooks = 100'000'000;
  constexpr std::size_t kFew = 10;
  constexpr std::size_t kMany = 1000;
  return std::clamp(kLooks / graph.moments(), kFew, kMany);
}

}  // namespace

void add_op_slacks(Explanation& what, const CauseGraph& graph, const OpMarks& marks) {
  what.op_slacks = graph.op_slacks(marks, ops_of(graph));
}

void add_shown(Explanation& what, const CauseGraph& graph, const OpMarks& marks) {
  for (std::size_t i = 0; i < std::min(kShownKeys, what.keys.size()); ++i) {
    if (graph.keys().contains(what.keys[i].key))
      what.keys[i].sides = graph.sides(what.keys[i].key, &what.keys[i]);
  }
  what.slacks = graph.slacks();
  what.op_slacks = graph.op_slacks(marks, kShownOps);
}

void add_sides(Explanation& what, const CauseGraph& graph) {
  for (const auto& [name, term] : graph.keys()) {
    const Derivative* const known = on_path(what, name);
    Sides sides = graph.sides(name, known);
    if (known != nullptr) {
      what.keys[static_cast<std::size_t>(known - what.keys.data())].sides = sides;
    } else if (matters(sides)) {
      what.off_path.push_back(
          {.key = name, .unit = term.unit, .value = term.value, .rounding = term.rounding, .sides = sides});
    }
  }
  what.slacks = graph.slacks();
}

}  // namespace kbsim::explain
