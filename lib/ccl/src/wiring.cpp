#include "kbsim/ccl/wiring.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kbsim/base/error.hpp"

namespace kbsim::ccl {

Registry<Topology>& topologies() {
  static Registry<Topology> registry{"neighbour topology"};
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
  const auto peer = wiring.find(to.peer);
  const auto points_back = [&](const Neighbour& n) { return n.peer == from; };
  const auto is_opposite = [&](const Neighbour& n) {
    return points_back(n) && n.direction == opposite(to.direction);
  };
  if (peer != wiring.end()) {
    auto found = std::ranges::find_if(peer->second, is_opposite);
    if (found == peer->second.end()) found = std::ranges::find_if(peer->second, points_back);
    if (found != peer->second.end()) return found->direction;
  }
  throw UsageError{to_string(from) + " sends " + to.direction + " to " + to_string(to.peer) +
                   ", which has no queue that points back"};
}

}  // namespace kbsim::ccl
