#include "kbsim/ccl/wiring.hpp"

#include <algorithm>
#include <cstddef>

#include "kbsim/base/error.hpp"

namespace kbsim::ccl {
namespace {

Wiring unwired(const config::MachineSpec&, const std::vector<PeCoord>& participants) {
  Wiring wiring;
  for (const PeCoord& at : participants) wiring[at];
  return wiring;
}

bool has(const Wiring& wiring, PeCoord at, const Neighbour& neighbour) {
  const auto found = wiring.find(at);
  return found != wiring.end() && std::ranges::find(found->second, neighbour) != found->second.end();
}

// The labels of `at` that lead to `peer` and whose opposite doesn't lead back.
std::vector<std::string> without_opposite(const Wiring& wiring, PeCoord at, PeCoord peer) {
  std::vector<std::string> labels;
  const auto found = wiring.find(at);
  if (found == wiring.end()) return labels;
  for (const Neighbour& n : found->second) {
    const bool paired = has(wiring, peer, {.direction = opposite(n.direction), .peer = at});
    if (n.peer == peer && !paired) labels.push_back(n.direction);
  }
  return labels;
}

}  // namespace

Registry<Topology>& topologies() {
  static Registry<Topology> registry = [] {
    Registry<Topology> builtin{"neighbour topology"};
    builtin.add("none", {.doc = "nobody has a neighbour", .wire = unwired});
    return builtin;
  }();
  return registry;
}

std::string opposite(const std::string& direction) {
  static const std::map<std::string, std::string> kOpposites{{"E", "W"},
                                                             {"W", "E"},
                                                             {"N", "S"},
                                                             {"S", "N"},
                                                             {"global_E", "global_W"},
                                                             {"global_W", "global_E"},
                                                             {"global_N", "global_S"},
                                                             {"global_S", "global_N"}};
  const auto found = kOpposites.find(direction);
  return found == kOpposites.end() ? "" : found->second;
}

std::string reverse_direction(const Wiring& wiring, PeCoord from, const Neighbour& to) {
  const Neighbour back{.direction = opposite(to.direction), .peer = from};
  if (has(wiring, to.peer, back)) return back.direction;
  const std::vector<std::string> mine = without_opposite(wiring, from, to.peer);
  const std::vector<std::string> theirs = without_opposite(wiring, to.peer, from);
  const auto rank = static_cast<std::size_t>(std::ranges::find(mine, to.direction) - mine.begin());
  if (rank < std::min(mine.size(), theirs.size())) return theirs[rank];
  throw UsageError{to_string(from) + " sends " + to.direction + " to " + to_string(to.peer) +
                   ", which has no queue left that points back"};
}

}  // namespace kbsim::ccl
