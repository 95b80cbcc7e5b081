#include "kbsim/topology/sip_network.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"

namespace kbsim::topology {
namespace {

// A port, and its peer's name for the other end of the wire.
struct End {
  SipPort port;
  std::string peer_name;
};
using Ends = std::vector<End>;

std::string side_name(Side side) {
  constexpr std::array<std::string_view, 4> kNames{"e", "w", "n", "s"};
  return std::string{kNames[index(side)]};
}

// West and north ports are at the first router, east and south ports at the last.
Ends ends_in_grid(const SipGrid& grid, int sip) {
  Ends ends;
  for (const Side side : kSides) {
    const std::optional<int> peer = grid.neighbour(sip, side);
    const bool last = side == Side::east || side == Side::south;
    if (peer)
      ends.push_back({{.name = side_name(side), .peer = *peer, .at_last_router = last, .begins = last},
                      side_name(opposite(side))});
  }
  return ends;
}

int parent(int sip) { return (sip - 1) / 2; }
const char* child_name(int sip) { return sip % 2 == 0 ? "child_right" : "child_left"; }

Ends ends_in_tree(int sip, int count) {
  Ends ends;
  if (sip > 0)
    ends.push_back(
        {{.name = "parent", .peer = parent(sip), .at_last_router = false, .begins = false}, child_name(sip)});
  for (const int child : {2 * sip + 1, 2 * sip + 2}) {
    const bool last = child == 2 * sip + 2;
    if (child < count)
      ends.push_back({{.name = child_name(child), .peer = child, .at_last_router = last}, "parent"});
  }
  return ends;
}

bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

// The ports of directly joined packages: to each other package, or to those at power-of-two distances in both
// directions.
Ends ends_of_pairs(int sip, int count, bool all) {
  Ends ends;
  for (int other = 0; other < count; ++other) {
    const int ahead = (other - sip + count) % count;
    const bool joined = all || is_power_of_two(ahead) || is_power_of_two(count - ahead);
    if (other == sip || !joined) continue;
    const bool later = other > sip;
    ends.push_back(
        {{.name = fmt::format("sip{}", other), .peer = other, .at_last_router = later, .begins = later},
         fmt::format("sip{}", sip)});
  }
  return ends;
}

Ends ends_of(const config::SipsSpec& spec, const SipGrid& grid, int sip) {
  using enum config::SipTopology;
  if (spec.topology == tree_binary) return ends_in_tree(sip, spec.count);
  if (spec.topology == all_pairs || spec.topology == full) return ends_of_pairs(sip, spec.count, true);
  if (spec.topology == doubling_distances) return ends_of_pairs(sip, spec.count, false);
  return ends_in_grid(grid, sip);
}

int steps_in_tree(int from, int to) {
  int steps = 0;
  for (; from != to; ++steps) {
    int& lower = from > to ? from : to;
    lower = parent(lower);
  }
  return steps;
}

// The least number of powers of two, up to `largest` and with either sign, that add up to `sum`.
int powers_of_two(int sum, int largest) {
  if (largest == 1) return std::abs(sum);
  if (sum % 2 == 0) return powers_of_two(sum / 2, largest / 2);
  return 1 + std::min(powers_of_two((sum - 1) / 2, largest / 2), powers_of_two((sum + 1) / 2, largest / 2));
}

// By members: wires on the shortest way from one to the other.
std::vector<std::vector<int>> hops_between(const std::vector<std::vector<SipPort>>& ports) {
  std::vector<std::vector<int>> hops;
  for (std::size_t from = 0; from < ports.size(); ++from) {
    std::vector<int>& known = hops.emplace_back(ports.size(), std::numeric_limits<int>::max());
    known[from] = 0;
    std::queue<std::size_t> next;
    for (next.push(from); !next.empty(); next.pop()) {
      for (const SipPort& port : ports[next.front()]) {
        int& there = known[static_cast<std::size_t>(port.peer)];
        if (there <= known[next.front()] + 1) continue;
        there = known[next.front()] + 1;
        next.push(static_cast<std::size_t>(port.peer));
      }
    }
  }
  return hops;
}

// Steps in a ring with wires to the packages 1, 2, 4, ... before and after; a route may go round it several
// times.
int steps_by_doubling(int ahead, int count) {
  int largest = 1;
  while (2 * largest < count) largest *= 2;
  int fewest = count;
  for (int rounds = -4; rounds <= 4; ++rounds)
    fewest = std::min(fewest, powers_of_two(ahead + rounds * count, largest));
  return fewest;
}

}  // namespace

SipNetwork::SipNetwork(const config::SipsSpec& spec)
    : topology_{spec.topology}, count_{spec.count}, grid_{spec} {
  if (spec.is_listed()) {
    take_list(spec);
    return;
  }
  std::vector<Ends> ends;
  for (int sip = 0; sip < count_; ++sip) ends.push_back(ends_of(spec, grid_, sip));
  for (const Ends& of_sip : ends) {
    std::vector<SipPort>& ports = ports_.emplace_back();
    for (const End& end : of_sip) {
      const Ends& there = ends[static_cast<std::size_t>(end.port.peer)];
      const auto other = std::ranges::find(there, end.peer_name, [](const End& e) { return e.port.name; });
      ports.push_back(end.port);
      ports.back().peer_port = static_cast<std::size_t>(other - there.begin());
    }
  }
}

// A package has a port for each of its wires, by the member at the other end: "sip3", "sw0".
void SipNetwork::take_list(const config::SipsSpec& spec) {
  std::vector<std::string> names;
  for (int sip = 0; sip < count_; ++sip) names.push_back(fmt::format("sip{}", sip));
  const auto member = [&](const std::string& name) {
    const auto found = std::ranges::find(names, name) - names.begin();
    if (found == std::ssize(names)) {
      names.push_back(name);
      switches_.push_back(name);
    }
    return static_cast<int>(found);
  };
  std::vector<std::pair<int, int>> wires;
  for (const config::ListedLinkSpec& link : spec.links) {
    const int a = member(link.a);
    wires.emplace_back(a, member(link.b));
  }
  ports_.resize(names.size());
  const auto port = [&](int here, int there) -> SipPort& {
    return ports_[static_cast<std::size_t>(here)].emplace_back(SipPort{
        .name = names[static_cast<std::size_t>(there)], .peer = there, .at_last_router = there > here});
  };
  for (int number = 0; const auto& [a, b] : wires) {
    SipPort& first = port(a, b);
    first.listed = number;
    first.peer_port = ports_[static_cast<std::size_t>(b)].size();
    const std::size_t here = ports_[static_cast<std::size_t>(a)].size() - 1;
    SipPort& second = port(b, a);
    second.listed = number++;
    second.peer_port = here;
    second.begins = false;
  }
  hops_ = hops_between(ports_);
}

std::size_t SipNetwork::next_port(int from, int to, DimensionOrder order) const {
  ensure(from != to, "no port leads from a package to itself");
  const std::vector<SipPort>& ports = this->ports(from);
  if (config::is_grid(topology_) || topology_ == config::SipTopology::ring_1d) {
    const std::string side = side_name(grid_.next_side(from, to, order));
    return static_cast<std::size_t>(std::ranges::find(ports, side, &SipPort::name) - ports.begin());
  }
  const auto nearest = std::ranges::min_element(ports, {}, [&](const SipPort& port) {
    const bool leads = port.begins || !one_way();
    return leads ? distance(port.peer, to) : std::numeric_limits<int>::max();
  });
  return static_cast<std::size_t>(nearest - ports.begin());
}

int SipNetwork::wires(int from, int to) const {
  int count = 0;
  for (int at = from; at != to; ++count) at = ports(at)[next_port(at, to)].peer;
  return count;
}

int SipNetwork::diameter() const {
  int most = 0;
  for (int from = 0; from < count_; ++from) {
    for (int to = 0; to < count_; ++to) most = std::max(most, wires(from, to));
  }
  return most;
}

// Every step of a message reduces this distance.
int SipNetwork::distance(int from, int to) const {
  using enum config::SipTopology;
  if (topology_ == tree_binary) return steps_in_tree(from, to);
  if (topology_ == links) return hops_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  const int ahead = (to - from + count_) % count_;
  if (topology_ == ring_1d_unidir) return ahead;
  if (topology_ == doubling_distances) return steps_by_doubling(ahead, count_);
  return from == to ? 0 : 1;
}

}  // namespace kbsim::topology
