#include "package_load.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kbsim::ccl {

double PackageNetwork::most(const OnLinks& on_links) const {
  double units = 0;
  for (const auto& [link, on] : on_links) {
    const topology::SipPort& port = network_.ports(link.first)[link.second];
    const double rate = topology::SipNetwork::wire(spec_, port).rate().gbs();
    units = std::max(units, on * (spec_.link.rate().gbs() / rate));
  }
  return units;
}

std::vector<int> PackageNetwork::hops_to(int goal) const {
  std::vector<int> hops(static_cast<std::size_t>(network_.members()), -1);
  hops[static_cast<std::size_t>(goal)] = 0;
  std::vector<int> route;
  for (int from = 0; from < network_.members(); ++from) {
    int at = from;
    for (; hops[static_cast<std::size_t>(at)] < 0; at = next(at, network_.next_port(at, goal)))
      route.push_back(at);
    for (int more = hops[static_cast<std::size_t>(at)] + 1; !route.empty(); ++more, route.pop_back())
      hops[static_cast<std::size_t>(route.back())] = more;
  }
  return hops;
}

PackageLoad PackageNetwork::load_of(const std::vector<PackageFlow>& flows) const {
  PackageLoad load;
  OnLinks on_links;
  std::map<int, double> sent;
  std::map<int, double> received;
  for (const auto& [from, to, units] : flows) {
    if (from == to) continue;
    int hops = 0;
    for (int at = from; at != to; ++hops) {
      const std::size_t port = network_.next_port(at, to);
      on_links[{at, port}] += units;
      at = next(at, port);
    }
    load.hops = std::max(load.hops, hops);
    load.at_a_package = std::max({load.at_a_package, sent[from] += units, received[to] += units});
  }
  load.on_a_link = most(on_links);
  return load;
}

// All routes to a package form a tree: a member passes on what has come to it, the furthest ones first.
PackageLoad PackageNetwork::load_of_all_pairs() const {
  PackageLoad load{.at_a_package = spec_.count - 1.0};
  OnLinks on_links;
  for (int goal = 0; goal < spec_.count; ++goal) {
    const std::vector<int> hops = hops_to(goal);
    std::vector<int> order(hops.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, std::greater{}, [&](int at) { return hops[static_cast<std::size_t>(at)]; });
    std::vector<double> units(hops.size(), 0.0);
    std::fill_n(units.begin(), spec_.count, 1.0);  // and nothing from switches
    for (const int at : order) {
      if (at == goal) continue;
      const std::size_t port = network_.next_port(at, goal);
      const double passed = units[static_cast<std::size_t>(at)];
      on_links[{at, port}] += passed;
      units[static_cast<std::size_t>(next(at, port))] += passed;
    }
    load.hops = std::max(load.hops, *std::max_element(hops.begin(), hops.begin() + spec_.count));
  }
  load.on_a_link = most(on_links);
  return load;
}

}  // namespace kbsim::ccl
