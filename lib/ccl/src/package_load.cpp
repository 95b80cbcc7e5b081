#include "package_load.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace kbsim::ccl {
namespace {

using topology::SipNetwork;

// Units by a package and its port.
using OnLinks = std::map<std::pair<int, std::size_t>, double>;

double most(const OnLinks& links) {
  double units = 0;
  for (const auto& [link, on] : links) units = std::max(units, on);
  return units;
}

int next(const SipNetwork& network, int from, std::size_t port) { return network.ports(from)[port].peer; }

// Hops of each package's route to `goal`.
std::vector<int> hops_to(const SipNetwork& network, int packages, int goal) {
  std::vector<int> hops(static_cast<std::size_t>(packages), -1);
  hops[static_cast<std::size_t>(goal)] = 0;
  std::vector<int> route;
  for (int from = 0; from < packages; ++from) {
    int at = from;
    for (; hops[static_cast<std::size_t>(at)] < 0; at = next(network, at, network.next_port(at, goal)))
      route.push_back(at);
    for (int more = hops[static_cast<std::size_t>(at)] + 1; !route.empty(); ++more, route.pop_back())
      hops[static_cast<std::size_t>(route.back())] = more;
  }
  return hops;
}

}  // namespace

PackageLoad load_of(const SipNetwork& network, const std::vector<PackageFlow>& flows) {
  PackageLoad load;
  OnLinks links;
  std::map<int, double> sent;
  std::map<int, double> received;
  for (const auto& [from, to, units] : flows) {
    if (from == to) continue;
    int hops = 0;
    for (int at = from; at != to; ++hops) {
      const std::size_t port = network.next_port(at, to);
      links[{at, port}] += units;
      at = next(network, at, port);
    }
    load.hops = std::max(load.hops, hops);
    load.at_a_package = std::max({load.at_a_package, sent[from] += units, received[to] += units});
  }
  load.on_a_link = most(links);
  return load;
}

// All routes to a package form a tree: a package passes on what has come to it, those furthest away first.
PackageLoad load_of_all_pairs(const SipNetwork& network, int packages) {
  PackageLoad load{.at_a_package = packages - 1.0};
  OnLinks links;
  for (int goal = 0; goal < packages; ++goal) {
    const std::vector<int> hops = hops_to(network, packages, goal);
    std::vector<int> order(hops.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, std::greater{}, [&](int at) { return hops[static_cast<std::size_t>(at)]; });
    std::vector<double> units(hops.size(), 1.0);
    for (const int at : order) {
      if (at == goal) continue;
      const std::size_t port = network.next_port(at, goal);
      const double passed = units[static_cast<std::size_t>(at)];
      links[{at, port}] += passed;
      units[static_cast<std::size_t>(next(network, at, port))] += passed;
    }
    load.hops = std::max(load.hops, *std::ranges::max_element(hops));
  }
  load.on_a_link = most(links);
  return load;
}

}  // namespace kbsim::ccl
