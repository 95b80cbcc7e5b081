#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>
#include <ranges>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

/// The paths between nodes of a graph, each found on first use. Their addresses don't change.
class Paths {
 public:
  explicit Paths(const topology::Graph& graph) : graph_{graph}, find_{graph} {}

  /// `overhead` gives the overhead of a node. `fetch` is called for all nodes before that.
  template <class Overhead, class Fetch>
  [[nodiscard]] Path& between(NodeId from, NodeId to, int network, Overhead overhead, Fetch fetch) {
    const std::uint64_t ends = (std::uint64_t{from.value()} << 32) | to.value();
    auto& of_network = known_[static_cast<std::size_t>(network)];
    if (const auto known = of_network.find(ends); known != of_network.end()) return *known->second;
    Path fresh{.route = keep(find_(from, to, network))};
    ensure(fresh.route.size() <= kMostLinks, "a route of more links than a packet can count");
    if (!fresh.route.empty()) fresh.slowest = graph_.link(fresh.route.front()).bandwidth;
    for (const LinkId id : fresh.route) fetch(graph_.link(id).from);
    for (const LinkId id : fresh.route) {
      const topology::Link& link = graph_.link(id);
      fresh.overhead += overhead(link.from);
      fresh.wire += link.wire;
      fresh.slowest = std::min(fresh.slowest, link.bandwidth);
      fresh.framing = slower(fresh.framing, link.framing);
    }
    fresh.parts = keep<Path::Part>(parts_of(fresh.route));
    if (graph_.phases() > 1) fresh.phases = keep<std::uint8_t>(topology::phases(graph_, fresh.route));
    return *(of_network[ends] = &paths_.emplace_back(fresh));
  }
  /// In the order of their first use.
  [[nodiscard]] const std::deque<Path>& all() const { return paths_; }
  [[nodiscard]] std::deque<Path>& all() { return paths_; }

 private:
  static constexpr std::size_t kMostLinks = std::numeric_limits<std::uint16_t>::max();  // of a route
  // The link on which a packet takes longer.
  [[nodiscard]] const config::ChipLinkSpec* slower(const config::ChipLinkSpec* a,
                                                   const config::ChipLinkSpec* b) const {
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    const Bytes packet = graph_.spec().system.packet_bytes;
    return b->service(packet) > a->service(packet) ? b : a;
  }
  // None if no node stores packets.
  [[nodiscard]] std::vector<Path::Part> parts_of(std::span<const LinkId> route) const {
    std::vector<Path::Part> parts;
    bool begins = true;
    for (const LinkId id : route) {
      const topology::Link& link = graph_.link(id);
      if (begins) parts.push_back({.slowest = link.bandwidth});
      parts.back().slowest = std::min(parts.back().slowest, link.bandwidth);
      parts.back().framing = slower(parts.back().framing, link.framing);
      begins = graph_.node(link.to).stores;
    }
    return parts.size() > 1 ? parts : std::vector<Path::Part>{};
  }
  template <class T>
  [[nodiscard]] std::span<const T> keep(std::span<const T> values) {
    T* const place = std::pmr::polymorphic_allocator<T>{&memory_}.allocate(values.size());
    std::ranges::uninitialized_copy(values, std::span{place, values.size()});
    return {place, values.size()};
  }

  const topology::Graph& graph_;
  topology::RouteFinder find_;
  // By network; by source and target.
  std::array<boost::unordered_flat_map<std::uint64_t, Path*>, config::kMostNetworks> known_;
  std::deque<Path> paths_;
  std::pmr::monotonic_buffer_resource memory_;  // of routes and phases
};

}  // namespace kbsim::hw
